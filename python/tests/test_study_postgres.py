"""Studies in a PostgreSQL database, which the tests start themselves; skipped where there is no server."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import nomu

WITH_SERVER = Path(__file__).resolve().parents[2] / "tests" / "postgres" / "with_server"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The front of addresses, to be continued with &study=NAME."""
    command = [str(WITH_SERVER), "sh", "-c", 'echo "$NOMU_TEST_POSTGRES"; cat']
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        front = process.stdout.readline().strip()
        if not front:
            process.stdin.close()
            pytest.skip("no PostgreSQL server (Debian: postgresql-15)")
        yield front
        process.stdin.close()


def open_or_skip(make):
    try:
        return make()
    except nomu.NomuError as error:
        if "built without PostgreSQL" in str(error):
            pytest.skip(str(error))
        raise


def test_a_study_in_a_database(server: str) -> None:
    address = f"{server}&study=python"
    study = open_or_skip(lambda: nomu.Study({"x": (0.0, 1.0)}, address, method="random", budget=6))
    trial = study.ask()
    study.tell(trial, 0.5)
    other = nomu.Study.open(address)
    report = other.run(lambda x: x, workers=2)
    assert report["finished"] == 5
    assert study.status["finished"] == 6
    assert study.verify()["clean"]
    with pytest.raises(nomu.NomuError, match="exists already"):
        nomu.Study({"x": (0.0, 1.0)}, address)


def test_messages_keep_secrets(server: str) -> None:
    address = server.replace("user=nomu", "user=guarded&password=hush-hush") + "&study=a"
    with pytest.raises(nomu.NomuError) as caught:
        open_or_skip(lambda: nomu.Study.open(address))
    assert "password authentication failed" in str(caught.value)
    assert "hush-hush" not in str(caught.value)
