#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The whole set-up in one command; usage() below tells what it does. Every step leaves a stamp in the prefix once it has
# succeeded, keyed by everything its result depends on, so a later call goes on where an earlier one ended or stopped.
set -euo pipefail

# Kokkos and Kokkos Kernels come whole inside this source archive.
readonly archive_project=pycompadre archive_version=1.7.6
readonly archive_sha256=c766ec4d445ce076069be4b8c51a23ffac4ee79ea949ca86446bfd8c299b154c
readonly kokkos_version=4.5.01
readonly recipe=1 # part of each key: raise it when a step below changes what it leaves

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
readonly source_dir

usage() {
  cat <<'EOF'
usage: bash cmake/quickstart.sh demo|test|build|deps [options] [-- CMAKE_ARGUMENT..]

Sets Tessera up on a fresh machine: installs missing packages, brings Kokkos, builds, installs the drivers into
PREFIX/bin, then
  demo     runs the drivers on inputs/
  test     runs the whole test suite
  build    runs nothing: for a machine that compiles for another one
  deps     stops before Tessera itself: what the presets of CMakePresets.json need

  --prefix DIR      where everything goes; reused by the next call (default: .tessera in the source folder)
  --backend NAME    openmp, serial, cuda or auto: cuda where nvcc and a working GPU are, else openmp (default: auto)
  --arch ARCH       the GPU to compile for, as 90 or HOPPER90 (default: the GPU found here)
  --jobs N          processes that compile and test at a time (default: one a core, fewer where memory is short)
  --no-install      never call apt-get: if a package is missing, say which and stop
  --help            this text

CMake arguments after -- are used when Tessera is configured, and kept for later calls.
EOF
}

say() { printf 'quickstart: %s\n' "$*"; }

die() {
  printf 'quickstart: error: %s\n' "$*" >&2
  exit 1
}

refuse() {
  printf 'quickstart: error: %s; see --help\n' "$*" >&2
  exit 2
}

# ---- the command line ------------------------------------------------------------------------------------------------

command='' prefix="$source_dir/.tessera" backend=auto arch='' jobs='' may_install=true
cmake_arguments=()

parse_command_line() {
  local option
  while (($# > 0)); do
    option=$1
    shift
    case $option in
      --help | -h)
        usage
        exit 0
        ;;
      --no-install) may_install=false ;;
      --)
        cmake_arguments=("$@")
        break
        ;;
      --prefix=* | --backend=* | --arch=* | --jobs=*) set_option "${option%%=*}" "${option#*=}" ;;
      --prefix | --backend | --arch | --jobs)
        (($# > 0)) || refuse "$option needs a value"
        set_option "$option" "$1"
        shift
        ;;
      -*) refuse "unknown option $option" ;;
      *)
        [[ -z $command ]] || refuse "one command is expected, got $command and $option"
        command=$option
        ;;
    esac
  done
  case $command in
    demo | test | build | deps) ;;
    '') refuse "a command is needed: demo, test, build or deps" ;;
    *) refuse "unknown command $command; expected demo, test, build or deps" ;;
  esac
}

set_option() { # name value
  [[ -n $2 ]] || refuse "$1 needs a value"
  case $1 in
    --prefix)
      prefix=$2
      [[ $prefix == /* ]] || prefix=$PWD/$prefix
      ;;
    --backend)
      [[ $2 =~ ^(openmp|serial|cuda|auto)$ ]] || refuse "unknown back end $2; expected openmp, serial, cuda or auto"
      backend=$2
      ;;
    --arch) arch=$(cuda_architecture "$2") ;;
    --jobs)
      [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || refuse "--jobs $2: expected a number from 1 to 9999"
      jobs=$2
      ;;
  esac
}

# The name that Kokkos gives a compute capability: from 90, 9.0, sm_90 or HOPPER90.
cuda_architecture() {
  local known=(VOLTA70 VOLTA72 TURING75 AMPERE80 AMPERE86 ADA89 HOPPER90) name
  local wanted=${1^^}
  wanted=${wanted#SM_}
  wanted=${wanted/./}
  for name in "${known[@]}"; do
    if [[ $wanted == "$name" || $wanted == "${name//[A-Z]/}" ]]; then
      printf '%s\n' "$name"
      return
    fi
  done
  refuse "unknown GPU architecture $1; Kokkos $kokkos_version knows ${known[*]}"
}

# ---- what is here ----------------------------------------------------------------------------------------------------

working_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU'; }

# The GPU found; for one newer than Kokkos knows, the newest it knows, whose code the driver compiles at start.
architecture_found() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1)
  if ((${capability/./} > 90)); then
    capability=9.0
  fi
  cuda_architecture "$capability"
}

choose_backend() {
  if [[ -d /usr/local/cuda/bin ]] && ! command -v nvcc >/dev/null; then
    PATH=$PATH:/usr/local/cuda/bin
  fi
  if [[ $backend == auto ]]; then
    backend=openmp
    if command -v nvcc >/dev/null && working_gpu; then
      backend=cuda
    fi
  fi
  if [[ $backend != cuda ]]; then
    [[ -z $arch ]] || refuse "--arch $arch is for the cuda back end, and this is $backend"
    return
  fi
  command -v nvcc >/dev/null || die "--backend cuda needs nvcc, which is neither in PATH nor in /usr/local/cuda/bin"
  if [[ "$source_dir$prefix" == *[[:space:]]* ]]; then
    die "Kokkos' nvcc_wrapper cannot work in a path with spaces ($source_dir, $prefix): move there, or --backend openmp"
  fi
  if ! working_gpu; then
    [[ $command =~ ^(build|deps)$ ]] || die "$command on the cuda back end needs a working GPU, and nvidia-smi shows none;" \
      "build compiles without one, --backend openmp runs without one"
    [[ -n $arch ]] || die "no GPU to ask for its architecture: name one with --arch, for example --arch 90"
  fi
  if [[ -z $arch ]]; then
    arch=$(architecture_found)
  fi
}

choose_jobs() {
  [[ -z $jobs ]] || return 0
  local memory_gib=1000
  if [[ -r /proc/meminfo ]]; then
    memory_gib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo) / 1048576))
  fi
  jobs=$(nproc)
  if ((jobs > memory_gib / 2)); then
    jobs=$((memory_gib / 2))
  fi
  if ((jobs < 1)); then
    jobs=1
  fi
}

open_prefix() {
  mkdir -p -- "$prefix" 2>/dev/null || die "--prefix $prefix: the folder cannot be made"
  prefix=$(cd -- "$prefix" && pwd -P)
  [[ $prefix != "$source_dir" ]] || refuse "--prefix $prefix is the source folder itself"
  [[ -w $prefix ]] || die "--prefix $prefix: no permission to write there"
  [[ $prefix != *[\;:]* ]] || die "--prefix $prefix: CMake cannot work in a path with ; or :"
  mkdir -p -- "$prefix"/{build,deps,download,logs}
  # Children keep the lock: after a kill, a compiler that still runs is waited for.
  exec 9>"$prefix/.lock"
  if ! flock -n 9; then
    say "another call works in $prefix; waiting for it"
    flock 9
  fi
}

# ---- steps -----------------------------------------------------------------------------------------------------------

# step LOG TEXT FUNCTION: runs it with its output in a log; on failure shows the log's end and stops.
step() {
  local log="$prefix/logs/$1.log" text=$2 begin=$SECONDS status=0
  shift 2
  printf 'quickstart: %s ... ' "$text"
  set +e # a function called in a condition would go on after its failures
  (
    set -e
    "$@"
  ) >"$log" 2>&1 </dev/null
  status=$?
  set -e
  if ((status != 0)); then
    printf 'FAILED after %d s (exit status %d)\n' $((SECONDS - begin)) "$status"
    {
      printf 'quickstart: error: the step "%s" failed; its last lines:\n' "$text"
      tail -n 25 -- "$log" | sed 's/^/    /'
      printf 'quickstart: the whole log is %s\n' "$log"
    } >&2
    exit 1
  fi
  printf '%d s\n' $((SECONDS - begin))
}

# stamped FILE KEY: whether the step that leaves FILE has already succeeded for this KEY.
stamped() { [[ -f $1 && "$(<"$1")" == "$2" ]]; }

stamp() { # file key
  printf '%s\n' "$2" >"$1.new"
  mv -- "$1.new" "$1"
}

# -- packages

python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return
    fi
  done
  return 1
}

package_version() { dpkg-query -W -f='${db:Status-Abbrev}${Version}' "$1" 2>/dev/null | sed -n 's/^.i //p'; }

system_catch2() { [[ "$(package_version catch2)" =~ ^([0-9]+:)?[3-9] ]]; }

# Only Debian 12 has a Catch2 below 3; there it comes from the backports into the prefix, as nothing needs it but tests.
catch2_from_backports() {
  [[ $command != demo ]] && ! system_catch2 && grep -q '^VERSION_CODENAME=bookworm$' /etc/os-release
}

missing_packages() {
  local package packages=(libhdf5-dev libcli11-dev nlohmann-json3-dev libfmt-dev libfftw3-dev)
  command -v "${CXX:-c++}" >/dev/null || printf 'g++\n'
  command -v cmake >/dev/null || printf 'cmake\n'
  command -v ninja >/dev/null || printf 'ninja-build\n'
  if ! archive_is_good && ! kokkos_is_built; then
    python_with_pip >/dev/null || packages+=(python3-pip ca-certificates)
  fi
  if [[ $command != demo ]] && ! system_catch2 && ! catch2_from_backports; then
    packages+=(catch2)
  fi
  for package in "${packages[@]}"; do
    [[ -n "$(package_version "$package")" ]] || printf '%s\n' "$package"
  done
}

install_packages() { # how: nothing or sudo; packages..
  local how=$1
  shift
  $how dpkg --configure -a # an installation that was interrupted
  $how apt-get -o DPkg::Lock::Timeout=300 update || printf 'apt-get update failed; trying with the lists at hand\n'
  $how env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "$@"
}

packages_step() {
  command -v dpkg-query >/dev/null || {
    say "not a Debian or Ubuntu system: packages are left to you; CMake will name what it does not find"
    return
  }
  local missing how=''
  mapfile -t missing < <(missing_packages)
  if ((${#missing[@]} == 0)); then
    say "packages: nothing is missing"
    return
  fi
  if ! $may_install; then
    die "packages are missing and --no-install was given; install them: ${missing[*]}"
  fi
  if ((EUID != 0)); then
    how=sudo
    if ! command -v sudo >/dev/null || ! { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then
      die "packages are missing, and neither root nor sudo is at hand; ask for: ${missing[*]}"
    fi
  fi
  step packages "installing ${missing[*]}" install_packages "$how" "${missing[@]}"
}

# -- Kokkos and Kokkos Kernels

archive="" kokkos_dir="" kokkos_key="" catch2_dir="" slurm_dir=""

name_places() {
  archive="$prefix/download/$archive_project-$archive_version.tar.gz"
  kokkos_dir="$prefix/deps/kokkos-$backend"
  catch2_dir="$prefix/deps/catch2"
  slurm_dir="$prefix/deps/slurm"
}

# The compiled libraries serve one machine, compiler and place.
set_kokkos_key() {
  local cpu compiler
  cpu=$(grep -m 1 -E '^(flags|Features)' /proc/cpuinfo 2>/dev/null | sha256sum | cut -c -16)
  compiler=$("${CXX:-c++}" --version 2>/dev/null | head -n 1) || compiler=none
  kokkos_key="Kokkos $kokkos_version recipe $recipe $backend ${arch:-native $cpu} $compiler $prefix"
  if [[ $backend == cuda ]]; then
    kokkos_key+=" $(nvcc --version | tail -n 1)"
  fi
}

kokkos_is_built() { stamped "$kokkos_dir/.stamp" "$kokkos_key"; }

archive_is_good() { [[ -f $archive ]] && sha256sum --status -c - <<<"$archive_sha256  $archive"; }

download_archive() {
  local python
  python=$(python_with_pip)
  rm -f -- "$archive"
  # The archive is only unpacked, never installed as a Python package.
  "$python" -m pip --disable-pip-version-check download --no-cache-dir --no-deps --no-binary "$archive_project" \
    -d "$prefix/download" "$archive_project==$archive_version" || {
    printf 'The archive could not be downloaded. Where there is no network, put %s there yourself.\n' "$archive"
    return 1
  }
  archive_is_good || {
    printf '%s has not the expected SHA-256 %s; it was removed.\n' "$archive" "$archive_sha256"
    rm -f -- "$archive"
    return 1
  }
}

unpack_kokkos() { # folder
  local top="$archive_project-$archive_version" header
  rm -rf -- "$1"
  mkdir -p -- "$1"
  tar -xzf "$archive" -C "$1" --strip-components=1 "$top/kokkos" "$top/kokkos-kernels"
  header=$1/kokkos/core/src/Cuda/Kokkos_Cuda_Instance.hpp
  cp -- "$source_dir/cmake/kokkos_cuda13.hpp" "$1/kokkos/core/src/Cuda/Kokkos_Tessera_Cuda13.hpp"
  sed -i 's|^#include <cuda_runtime_api.h>|&\n#include <Cuda/Kokkos_Tessera_Cuda13.hpp>|' "$header"
  grep -q Kokkos_Tessera_Cuda13.hpp "$header"
}

build_kokkos() {
  local build="$prefix/build/kokkos-$backend" part
  local common=(-G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF
    "-DCMAKE_INSTALL_PREFIX=$kokkos_dir" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF
    -DCMAKE_UNITY_BUILD=ON) # its files are small behind large headers: a third of the time
  local kokkos=(-DKokkos_ENABLE_SERIAL=ON)
  case $backend in
    serial) kokkos+=(-DKokkos_ARCH_NATIVE=ON) ;;
    openmp) kokkos+=(-DKokkos_ARCH_NATIVE=ON -DKokkos_ENABLE_OPENMP=ON) ;;
    cuda) kokkos+=("-DKokkos_ARCH_$arch=ON" -DKokkos_ENABLE_OPENMP=ON -DKokkos_ENABLE_CUDA=ON) ;;
  esac
  # Only the few BLAS kernels that the drivers instantiate themselves; the default instantiations are 461 files.
  local kernels=("-DCMAKE_PREFIX_PATH=$kokkos_dir" -DKokkosKernels_ADD_DEFAULT_ETI=OFF
    -DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON
    -DKokkosKernels_ENABLE_TPL_CUBLAS=OFF -DKokkosKernels_ENABLE_TPL_CUSPARSE=OFF
    -DKokkosKernels_ENABLE_TPL_CUSOLVER=OFF)
  if ! stamped "$build/.key" "$kokkos_key"; then
    rm -rf -- "$build" "$kokkos_dir"
    mkdir -p -- "$build"
    stamp "$build/.key" "$kokkos_key"
  fi
  [[ -f $build/.unpacked ]] || {
    unpack_kokkos "$build/sources"
    touch "$build/.unpacked"
  }
  cmake -S "$build/sources/kokkos" -B "$build/kokkos" "${common[@]}" "${kokkos[@]}"
  cmake --build "$build/kokkos" --parallel "$jobs" --target install
  cmake -S "$build/sources/kokkos-kernels" -B "$build/kokkos-kernels" "${common[@]}" "${kernels[@]}"
  cmake --build "$build/kokkos-kernels" --parallel "$jobs" --target install
  for part in kokkos kokkos-kernels; do
    cp -- "$build/sources/$part/LICENSE" "$kokkos_dir/LICENSE.$part"
  done
  stamp "$kokkos_dir/.stamp" "$kokkos_key"
  rm -rf -- "$build"
}

kokkos_step() {
  local text="Kokkos and Kokkos Kernels $kokkos_version, $backend${arch:+ for $arch}"
  if kokkos_is_built; then
    say "$text: already there"
    return
  fi
  if ! archive_is_good; then
    step download "downloading Kokkos $kokkos_version" download_archive
  fi
  step "kokkos-$backend" "building $text" build_kokkos
}

# -- Catch2

# Leaves the system's own sources and lists as they are.
bring_catch2() {
  local apt="$prefix/build/apt" keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed_by='' uri options package
  rm -rf -- "$apt" "$catch2_dir"
  mkdir -p -- "$apt"/{lists/partial,cache/archives/partial} "$catch2_dir"
  # shellcheck disable=SC2016 # apt-get expands this
  uri=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Release: bookworm' 'Component: main' | head -n 1)
  [[ -n $uri ]] || {
    printf 'apt has no source for bookworm main\n'
    return 1
  }
  [[ ! -f $keyring ]] || signed_by="[signed-by=$keyring] "
  printf 'deb %s%s bookworm-backports main\n' "$signed_by" "$uri" >"$apt/sources.list"
  options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$apt/lists"
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update
  cd -- "$apt"
  apt-get "${options[@]}" download catch2 libcatch2-dev
  for package in ./*.deb; do
    dpkg -x "$package" "$catch2_dir"
  done
  stamp "$catch2_dir/.stamp" "Catch2 recipe $recipe"
  rm -rf -- "$apt"
}

catch2_step() {
  [[ $command != demo ]] || return 0
  if ! catch2_from_backports; then
    return 0
  fi
  if stamped "$catch2_dir/.stamp" "Catch2 recipe $recipe"; then
    say "Catch2 3: already there"
    return
  fi
  step catch2 "Catch2 3 from the backports" bring_catch2
}

# -- Slurm

slurm_is_here() {
  local PATH=$PATH:/usr/sbin:/usr/local/sbin program
  for program in slurmctld slurmd munged sbatch; do
    command -v "$program" >/dev/null || return 1
  done
}

# The packages and what they need, unpacked: no service starts, and no command of a Slurm that is here changes. With
# lists and cache of its own, so that it needs no rights and leaves the system's as they are.
bring_slurm() {
  local apt="$prefix/build/apt-slurm" options packages package
  rm -rf -- "$apt" "$slurm_dir"
  mkdir -p -- "$apt"/{lists/partial,cache/archives/partial} "$slurm_dir"
  options=(-o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update
  packages=$(apt-get "${options[@]}" install --simulate --no-install-recommends slurm-wlm munge)
  # With those of Slurm itself that are installed already, so that all stand in one place.
  mapfile -t packages < <({
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' <<<"$packages"
    printf '%s\n' slurm-wlm slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge
  } | sort -u)
  cd -- "$apt"
  apt-get "${options[@]}" download "${packages[@]}"
  for package in ./*.deb; do
    dpkg -x "$package" "$slurm_dir"
  done
  LD_LIBRARY_PATH=$(printf '%s:' "$slurm_dir"/usr/lib/*/slurm-wlm "$slurm_dir"/usr/lib/*) \
    "$slurm_dir/usr/sbin/slurmctld-wlm" -V
  stamp "$slurm_dir/.stamp" "Slurm recipe $recipe"
  rm -rf -- "$apt"
}

# Without Slurm the tests that need it are not run, and CTest names them; TESSERA_REQUIRE_SLURM=1 stops here instead.
slurm_step() {
  local reason='' status=0
  [[ $command == test ]] || return 0
  if slurm_is_here; then
    say "Slurm: already on this machine"
  elif stamped "$slurm_dir/.stamp" "Slurm recipe $recipe"; then
    say "Slurm: already there"
  elif ! command -v dpkg >/dev/null; then
    reason="this is no Debian or Ubuntu system"
  elif ! $may_install; then
    reason="--no-install was given"
  else
    set +e # no condition: see step
    (step slurm "unpacking Slurm for the tests" bring_slurm)
    status=$?
    set -e
    ((status == 0)) || reason="its packages cannot be had"
  fi
  [[ -n $reason ]] || return 0
  reason="Slurm is not here, and $reason: the tests of its job scripts (label slurm) will not run"
  [[ -z ${TESSERA_REQUIRE_SLURM:-} ]] || die "$reason"
  say "$reason"
}

# -- Tessera

build_dir=""

configure_tessera() {
  local key="$source_dir $kokkos_key" tests=()
  if ! stamped "$build_dir/.key" "$key"; then
    rm -rf -- "$build_dir"
    mkdir -p -- "$build_dir"
    stamp "$build_dir/.key" "$key"
  fi
  # A demo after a test keeps the tree as it is, so that neither configures the other's work away.
  if [[ $command != demo ]]; then
    tests=(-DTESSERA_ENABLE_TESTS=ON)
  elif [[ ! -f $build_dir/CMakeCache.txt ]]; then
    tests=(-DTESSERA_ENABLE_TESTS=OFF)
  fi
  cmake -G Ninja -S "$source_dir" -B "$build_dir" -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=$prefix" \
    "-DCMAKE_PREFIX_PATH=$kokkos_dir;$catch2_dir/usr;$slurm_dir/usr" -DTESSERA_ENABLE_APPS=ON "${tests[@]}" \
    "${cmake_arguments[@]}"
}

build_tessera() {
  local target=all
  if [[ $command == demo ]]; then
    target=tessera-apps
  fi
  cmake --build "$build_dir" --parallel "$jobs" --target "$target"
}

tessera_steps() {
  build_dir="$prefix/build/tessera-$backend"
  step configure "configuring Tessera" configure_tessera
  step "build-$backend" "building Tessera with $jobs processes" build_tessera
  step install "installing into $prefix" cmake --install "$build_dir"
}

# -- running

run_demo() {
  local status=0
  mkdir -p -- "$prefix/demo"
  bash "$source_dir/inputs/demo.sh" "$prefix/bin" "$prefix/demo" || status=$?
  ((status == 0)) || die "the demo ended with exit status $status"
  say "done in $SECONDS s; the drivers are in $prefix/bin, the demo's output is in $prefix/demo"
}

run_tests() {
  # In a job of Slurm the tests are no part of it.
  unset "${!SLURM@}" "${!SBATCH_@}" "${!SRUN_@}"
  say "ready after $SECONDS s; the drivers are in $prefix/bin; the tests run now"
  exec ctest --test-dir "$build_dir" --output-on-failure --no-tests=error --parallel "$jobs"
}

stopped() {
  printf '\nquickstart: stopped; the same command goes on from here\n' >&2
  exit "$1"
}

main() {
  parse_command_line "$@"
  trap 'stopped 130' INT
  trap 'stopped 143' TERM
  choose_backend
  open_prefix
  choose_jobs
  say "$command with the $backend back end${arch:+ for $arch}; everything goes to $prefix"
  name_places
  set_kokkos_key
  packages_step
  set_kokkos_key # now with the compiler that may just have come
  slurm_step
  kokkos_step
  catch2_step
  if [[ $command == deps ]]; then
    say "done in $SECONDS s; Kokkos is in $kokkos_dir"
    return
  fi
  tessera_steps
  case $command in
    demo) run_demo ;;
    test) run_tests ;;
    build) say "done in $SECONDS s; the drivers are in $prefix/bin, the tests in $build_dir" ;;
  esac
}

main "$@"
