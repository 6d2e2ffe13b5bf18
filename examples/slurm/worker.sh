#!/bin/bash
#SBATCH --job-name=nomu
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
# One worker of a study, as a task of a job array:
#   sbatch --array=1-60 --export=ALL,STUDY='postgresql://db.example/lab?study=yield' worker.sh COMMAND [options of nomu optimize run]
# COMMAND prints the value of a trial in its last line, as for `nomu optimize run --command`. With TRIAL_SECONDS, the time that a
# trial takes at most, none is started that would not end before the time limit (Slurm 22.05 or later).
set -u
: "${STUDY:?the address of the study}"
command=${1:?the command to run for each trial}
shift

within=()
left=0
if [[ -n "${TRIAL_SECONDS:-}" && -n "${SLURM_JOB_END_TIME:-}" ]]; then
  left=$((SLURM_JOB_END_TIME - $(date +%s) - 60 - TRIAL_SECONDS))
  if ((left < 1)); then
    echo "a trial of $TRIAL_SECONDS s does not fit into the time limit of this job" >&2
    exit 1
  fi
  within=(--start-within "$left")
fi

# In the background, so that this shell hears Slurm's signal at once: a minute before the time limit, and before the node is
# taken away. The worker then hands its trials back.
"${NOMU:-nomu}" optimize run "$STUDY" --command "$command" --patience 600 ${within[@]+"${within[@]}"} "$@" &
worker=$!
begin=$SECONDS
trap 'kill -TERM "$worker" 2>/dev/null' TERM
status=0
wait "$worker" || status=$?
if ((status > 128)); then # the signal ended the waiting, not the worker
  status=0
  wait "$worker" || status=$?
fi

unfinished() { ! "${NOMU:-nomu}" optimize status "$STUDY" --json | grep -Eq '"done": ?true'; }
running() { [[ "$(squeue --noheader --job "$SLURM_JOB_ID" --format=%T)" == RUNNING ]]; }
# Stopped on request, in time: not a failure of this task. Slurm requeues tasks that it preempts, but not those that reach their
# time limit. A task that was cancelled is not running any more.
if ((status == 130)) || ((status == 0 && left > 0 && SECONDS - begin >= left)); then
  status=0
  if [[ -n "${SLURM_JOB_ID:-}" ]] && unfinished && running; then scontrol requeue "$SLURM_JOB_ID"; fi
fi
exit "$status"
