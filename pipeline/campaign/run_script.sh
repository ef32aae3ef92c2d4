# Functions of the script of a run. Before them it says which run it is: $campaign_run and $campaign_profiles
# (folders), $campaign_name; and reasons that this program recognises: $no_space, $no_match, $clock_set.

start_run() {
  cd -- "$campaign_run" || exit 1
  facts=$(
    echo "time=$(date +%s)"
    echo "host=$(uname -n)"
    echo "pid=$$"
    task=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
    echo "job=${task:-${SLURM_JOB_ID:-${PBS_JOBID:-}}}"
    echo "nodes=${SLURM_JOB_NODELIST:-$(sort -u "${PBS_NODEFILE:-/dev/null}" 2>/dev/null | paste -sd ,)}"
  )
  reserve=reserve.$$ # is given back to say how the run ended, though the disk is full
  if ! head -c 65536 /dev/urandom >"$reserve"; then
    rm -f "$reserve"
    (set -C && : >started) 2>/dev/null # empty: there was no space
    exit 1
  fi
  if ! why=$( (set -C && echo "$facts" >started) 2>&1); then
    rm -f "$reserve"
    [ -s started ] && { echo "$campaign_name was started before" >&2; exit 0; }
    echo "$why" >&2
    exit 1
  fi
  finish_when_stopped
  mkdir -p files
}

collect_again() {
  cd -- "$campaign_run" || exit 1
  facts=$(cat started)
  reserve=reserve.$$
  seconds=$(sed -n 's/^seconds=//p' finished)
  begin=0 end=$((10#${seconds/./}))
  finish_when_stopped
  cd files || exit 1
}

finish_when_stopped() {
  trap 'stop HUP 129' HUP
  trap 'stop INT 130' INT
  trap 'stop TERM 143' TERM
  trap 'finish 1 "ended early with exit status $?"' EXIT
}

stop() { # signal, exit status
  trap '' HUP INT TERM
  [ -n "${child:-}" ] && kill -TERM -- "-$child" 2>/dev/null && wait "$child"
  finish "$2" "stopped by SIG$1"
}

finish() { # exit status, reason if it failed
  trap - EXIT HUP INT TERM
  cd -- "$campaign_run" && [ "$(cat started)" = "$facts" ] || exit 1 # lost, and started anew meanwhile
  rm -f "$reserve"
  [ -z "$2" ] || rm -rf -- "${collected:-}"
  write_end "$1" "$2" || exit 1
  if [ -z "$2" ] && ! publish; then
    why=$(unpublished)
    rm -rf -- "$collected"
    write_end 1 "$why" || exit 1
  fi
  mv finished.partial finished
  exit "$1"
}

write_end() { # exit status, reason
  local took=$(( ${end:-$(date +%s%N)} - ${begin:-$(date +%s%N)} ))
  printf 'status=%s\nreason=%s\nseconds=%d.%09d\ntime=%s\n' "$1" "$2" \
    $((took / 1000000000)) $((took % 1000000000)) "$(date +%s)" >finished.partial
}

enter_files() {
  cd -- "$campaign_run/files" || finish 1 "no working directory"
}

note_environment() {
  env | grep -E -e '^(SLURM|PBS|OMP|KMP|SCOREP|TAU|CALI|OMPI|PMIX|MPICH|I_MPI|UCX|FI)_' \
    -e '^(PATH|LD_LIBRARY_PATH|LOADEDMODULES|PROFILEDIR)=' | sort >"$campaign_run/environment"
}

note_provenance() { # folder of the campaign, filter, program, version of pipeline, tools
  local commit filter program tool
  commit=$(git -C "$1" describe --always --dirty --abbrev=40 --match= 2>/dev/null)
  filter=$(sha256sum -- "$2" 2>/dev/null | cut -d ' ' -f 1)
  program=$(command -v -- "$3")
  {
    echo "run=$campaign_name"
    echo "commit=$commit"
    echo "filter=$filter"
    echo "program=$program"
    echo "program_digest=$(sha256sum -- "$program" 2>/dev/null | cut -d ' ' -f 1)"
    echo "system=$(uname -srm)"
    echo "pipeline=$4"
    for tool in "${@:5}"; do
      echo "$tool=$("$tool" --version 2>/dev/null | head -n 1)"
    done
  } >"$campaign_run/provenance"
  {
    [ -z "$commit" ] || echo "commit = \"$commit\""
    [ -z "$filter" ] || echo "filter = \"${filter:0:12}\""
  } >"$campaign_run/metadata.toml"
}

measure() { # command
  local up now status set_by=0
  set -m # a process group of its own, which is stopped as a whole
  up=$(uptime)
  begin=$(date +%s%N)
  "$@" >"$campaign_run/run.log" 2>&1 </dev/null &
  child=$!
  wait "$child"
  status=$?
  end=$(date +%s%N)
  child=
  if [ -n "$up" ]; then
    now=$(uptime)
    set_by=$(((end - begin - now + up) / 1000000000)) # seconds
    [ "${set_by#-}" -le 1 ] || begin=$up end=$now
  fi
  is_full "$campaign_run" && finish 1 "$no_space"
  [ "$status" -eq 0 ] || finish "$status" "exit status $status"
  [ "${set_by#-}" -le 1 ] || finish 1 "$clock_set by $set_by s while it ran"
}

uptime() { # nanoseconds since the machine was started, which no clock changes; nothing if unknown
  local seconds
  { read -r seconds _ </proc/uptime; } 2>/dev/null && echo "$((10#${seconds/./}))0000000"
}

is_full() { # folder
  local -x LC_ALL=C
  local why
  why=$({ head -c 4096 /dev/urandom >"$1/.space.$$"; } 2>&1)
  rm -f -- "$1/.space.$$"
  [[ $why == *"No space left"* || $why == *"quota exceeded"* ]]
}

unpublished() { # why the profiles are not there
  is_full "$campaign_profiles" && echo "$no_space" || echo "profiles cannot be written"
}

start_collecting() {
  collected="$campaign_profiles/.$campaign_name.partial"
  rm -rf -- "$collected" && mkdir -p -- "$collected" || finish 1 "$(unpublished)"
}

collect_if_there() { # patterns
  local pattern path found=
  for pattern; do
    while IFS= read -r path; do
      cp -R --parents -- "$path" "$collected/" || finish 1 "$(unpublished)"
      found=yes
    done < <(compgen -G "$pattern")
  done
  [ -n "$found" ]
}

collect() { # patterns; one file matches at least
  collect_if_there "$@" || finish 1 "$no_match $*"
}

publish() { # the collected files, with what is known of the run in a hidden folder
  mkdir -p "$collected/.campaign" &&
    cp run.log "$collected/" &&
    cp started environment provenance "$collected/.campaign/" &&
    cp finished.partial "$collected/.campaign/finished" || return 1
  [ -e "$collected/metadata.toml" ] || cp metadata.toml "$collected/" || return 1
  if [ -e "$campaign_profiles/$campaign_name" ]; then
    mv -- "$campaign_profiles/$campaign_name" "$campaign_run/profiles.$$" || return 1
  fi
  mv -- "$collected" "$campaign_profiles/$campaign_name"
}
