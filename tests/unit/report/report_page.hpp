#pragma once
// Reading the page of a report: what it says, and what would be wrong with it.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace nomu {

/// Instead of a matcher, which would print the whole page.
inline bool says(std::string_view page, std::string_view text) { return page.find(text) != std::string_view::npos; }

/// What is wrong with the page, or the empty text: tags must balance, attributes be quoted, and nothing may be loaded
/// or executed.
inline std::string html_fault(std::string_view html) {
  const std::set<std::string> single = {"!DOCTYPE", "meta"};
  std::vector<std::string> open;
  for (std::size_t i = html.find('<'); i != std::string_view::npos; i = html.find('<', i + 1)) {
    const std::size_t end = html.find('>', i);
    if (end == std::string_view::npos) return "open tag";
    const std::string tag(html.substr(i + 1, end - i - 1));
    if (tag.find('<') != std::string::npos) return "< inside " + tag;
    if (std::ranges::count(tag, '"') % 2 != 0) return "quotes of " + tag;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (name == "script" || name == "link" || name == "img" || name == "iframe") return "tag " + name;
    for (const std::string_view bad : {" src=", " href=", " onload=", " onerror=", "url("}) {
      if (tag.find(bad) != std::string::npos) return "attribute of " + tag;
    }
    if (name.front() == '/') {
      if (open.empty() || "/" + open.back() != name) return "unbalanced " + name;
      open.pop_back();
    } else if (tag.back() != '/' && !single.contains(name)) {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

inline const std::vector<std::string>& chapters() {
  static const std::vector<std::string> headings = {"What the bounds mean",
                                                    "What the model predicts",
                                                    "Is it right?",
                                                    "Does the uncertainty behave as it should?",
                                                    "How the fit went",
                                                    "Data",
                                                    "Settings"};
  return headings;
}

inline void expect_whole_page(const std::string& html) {
  EXPECT_EQ(html_fault(html), "");
  EXPECT_TRUE(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  for (const std::string& heading : chapters()) EXPECT_TRUE(says(html, "<h2>" + heading + "</h2>")) << heading;
  EXPECT_FALSE(says(html, "nan"));
  EXPECT_FALSE(says(html, ">no data<"));  // what an empty plot says
  EXPECT_LT(html.size(), 1500000U);
}

}  // namespace nomu
