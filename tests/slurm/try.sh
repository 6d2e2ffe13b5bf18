#!/usr/bin/env bash
# Runs the job array of docs/cluster.md on a Slurm of one node that this script starts and ends.
#   tests/postgres/with_server tests/slurm/try.sh TOOL      as root; Debian: slurm-wlm munge postgresql-15
# A task is requeued in the middle. In the end the budget must be spent, nothing pending, and the study must verify. Leases are
# longer than the whole run: what the requeued task had must be handed back, not wait for its lease.
set -euo pipefail

tool=$(realpath "${1:?usage: tests/postgres/with_server tests/slurm/try.sh TOOL}")
script=$(realpath "$(dirname "$0")/../../examples/slurm/worker.sh")
for program in slurmctld slurmd munged sbatch; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: no $program (Debian: slurm-wlm munge)"
    exit 77
  fi
done
if ((EUID != 0)) || [[ -z "${NOMU_TEST_POSTGRES:-}" ]]; then
  echo "skipped: needs root and a PostgreSQL server (tests/postgres/with_server)"
  exit 77
fi

folder=$(mktemp -d /tmp/nomu_slurm.XXXXXX)
chmod 755 "$folder"
started=()
end() {
  for ((i = ${#started[@]} - 1; i >= 0; --i)); do kill "${started[i]}" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap end EXIT

# Who is who, between the daemons of this Slurm alone.
mkdir "$folder/munge" "$folder/state" "$folder/spool"
chown munge "$folder/munge"
chmod 700 "$folder/munge"
dd if=/dev/urandom bs=1 count=1024 status=none >"$folder/munge/key"
chown munge "$folder/munge/key"
chmod 400 "$folder/munge/key"
mkdir "$folder/socket"
chown munge "$folder/socket"
setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --key-file="$folder/munge/key" --socket="$folder/socket/socket" \
  --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" &
started+=($!)

host=$(hostname -s)
cat >"$folder/slurm.conf" <<END
ClusterName=try
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$folder/socket/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MinJobAge=300
KillWait=20
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
END
export SLURM_CONF=$folder/slurm.conf
sleep 1
slurmctld -D -f "$folder/slurm.conf" &
started+=($!)
sleep 2
slurmd -D -f "$folder/slurm.conf" &
started+=($!)
for ((i = 0; ; ++i)); do
  if sinfo --noheader --format=%T 2>/dev/null | grep -q idle; then break; fi
  if ((i == 60)); then
    echo "this Slurm does not come up:" >&2
    tail -5 "$folder/slurmctld.log" "$folder/slurmd.log" >&2
    exit 1
  fi
  sleep 1
done

export STUDY="$NOMU_TEST_POSTGRES&study=slurm" NOMU=$tool
printf '[[variables]]\nname = "x"\nlow = 0\nhigh = 1\n[study]\nmethod = "gp"\nbudget = 40\nlease = 600\n' >"$folder/space.toml"
"$tool" optimize new "$STUDY" --space "$folder/space.toml" >/dev/null
job=$(sbatch --parsable --array=1-4 --ntasks=1 --output="$folder/task_%a.log" --export=ALL "$script" 'sleep 0.5; echo {x}')
echo "array $job of four workers"
for ((i = 0; i < 120; ++i)); do
  finished=$("$tool" optimize status "$STUDY" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["finished"])')
  if ((finished >= 10)); then break; fi
  sleep 0.5
done
scontrol requeue "${job}_2"
echo "task 2 was requeued after $finished results"
for ((i = 0; i < 240; ++i)); do
  if [[ -z "$(squeue --noheader --job "$job")" ]]; then break; fi
  sleep 1
done
squeue --job "$job"
cat "$folder"/task_*.log | tail -3
"$tool" optimize status "$STUDY"
"$tool" optimize status "$STUDY" --json | python3 -c '
import json, sys
status = json.load(sys.stdin)
sys.exit(0 if status["finished"] == 40 and status["pending"] == 0 else "the study is not finished")'
"$tool" optimize verify "$STUDY"
