# Sourced by what has many steps: says which has begun, and in the end how many seconds each took, by the clock and of processors.
#
# `step NAME` ends the step before and begins the next. The table comes at the exit of the script,
# after a failure too; the step that failed is the last.

_names=()
_seconds=()
_worked=()

step() {
  _end_step
  printf '\n\033[1m%s\033[0m\n' "$*"
  _names+=("$*")
  _begun=$EPOCHREALTIME
  _begun_worked=$(_processor_seconds)
}

_end_step() {
  if [ ${#_names[@]} != ${#_seconds[@]} ]; then
    _seconds+=("$(_seconds_since "$_begun")")
    _worked+=($(($(_processor_seconds) - _begun_worked)))
  fi
}

# Whole seconds since a time of EPOCHREALTIME, whatever the locale writes between its digits.
_seconds_since() {
  local now=${EPOCHREALTIME/[.,]/} then=${1/[.,]/}
  printf '%d' $(((now - then + 500000) / 1000000))
}

# What the processes that this script has waited for took of all processors.
_processor_seconds() {
  local of
  read -r -a of </proc/$$/stat
  printf '%d' $(((of[15] + of[16]) / $(getconf CLK_TCK)))
}

_print_steps() {
  local code=$? index
  _end_step
  printf '\n%-44s %7s %9s\n' step seconds processor
  for index in "${!_names[@]}"; do
    printf '%-44s %7d %9d\n' "${_names[index]}" "${_seconds[index]}" "${_worked[index]}"
  done
  printf '%-44s %7d %9d\n' all "$(_seconds_since "$_start")" "$(_processor_seconds)"
  [ $code = 0 ] || [ ${#_names[@]} = 0 ] || printf 'failed: %s\n' "${_names[-1]}" >&2
  return $code
}

_start=$EPOCHREALTIME
trap _print_steps EXIT
