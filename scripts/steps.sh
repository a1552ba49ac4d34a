# Sourced by what has many steps: says which has begun, and in the end how many seconds each took.
#
# `step NAME` ends the step before and begins the next. The table comes at the exit of the script,
# after a failure too; the step that failed is the last.

_names=()
_seconds=()

step() {
  _end_step
  printf '\n\033[1m%s\033[0m\n' "$*"
  _names+=("$*")
  _begun=$EPOCHREALTIME
}

_end_step() {
  if [ ${#_names[@]} != ${#_seconds[@]} ]; then
    _seconds+=("$(_seconds_since "$_begun")")
  fi
}

# Whole seconds since a time of EPOCHREALTIME, whatever the locale writes between its digits.
_seconds_since() {
  local now=${EPOCHREALTIME/[.,]/} then=${1/[.,]/}
  printf '%d' $(((now - then + 500000) / 1000000))
}

_print_steps() {
  local code=$? index
  _end_step
  printf '\n%-36s %7s\n' step seconds
  for index in "${!_names[@]}"; do
    printf '%-36s %7d\n' "${_names[index]}" "${_seconds[index]}"
  done
  printf '%-36s %7d\n' "all" "$(_seconds_since "$_start")"
  [ $code = 0 ] || [ ${#_names[@]} = 0 ] || printf 'failed: %s\n' "${_names[-1]}" >&2
  return $code
}

_start=$EPOCHREALTIME
trap _print_steps EXIT
