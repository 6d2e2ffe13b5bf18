#!/bin/bash
#SBATCH --job-name=nomu
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:TERM@60
# One worker of a study, as a task of a job array:
#   sbatch --array=1-60 --export=ALL,STUDY='postgresql://db.example/lab?study=yield' worker.sh COMMAND [options of nomu optimize run]
# COMMAND prints the value of a trial in its last line, as for `nomu optimize run --command`.
set -u
: "${STUDY:?the address of the study}"
command=${1:?the command to run for each trial}
shift

# In the background, so that this shell hears Slurm's signal at once: a minute before the time limit, and before the node is
# taken away. The worker then hands its trials back.
"${NOMU:-nomu}" optimize run "$STUDY" --command "$command" --patience 600 "$@" &
worker=$!
trap 'kill -TERM "$worker" 2>/dev/null' TERM
status=0
wait "$worker" || status=$?
if ((status > 128)); then # the signal ended the waiting, not the worker
  status=0
  wait "$worker" || status=$?
fi
# Stopped on request, in time: not a failure of this task.
if ((status == 130)); then status=0; fi
exit "$status"
