# Sourced by the scripts of this folder, which run the local stack beside cargo-lambda. LOCAL_STACK is the local stack's program, if it is
# built already. When the script ends, so do the `processes`, the first ones first. Its files go into the folder `work`.
work=$(mktemp -d)
processes=()
stop() {
  for process in "${processes[@]}"; do
    kill "$process" 2>/dev/null || true
    wait "$process" || true
  done
  rm -rf "$work"
}
trap stop EXIT
trap exit INT TERM

local=${LOCAL_STACK:-}
if [ -z "$local" ]; then
  cargo build --locked --package local
  local=target/debug/local
fi

# start_stack [ARGUMENTS]: starts the local stack, and prints its lines.
start_stack() {
  exec 3< <(exec "$local" "$@")
  processes+=($!)
  # The last line of a successful start begins with "Ctrl-C". Without it, the error has been printed.
  local line=
  while IFS= read -r line <&3; do echo "$line"; [[ $line != Ctrl-C* ]] || break; done
  [[ $line == Ctrl-C* ]] || exit 1
  # If its further lines were not read, the full pipe would block it.
  cat <&3 &
  processes+=($!)
}
