#!/bin/sh
# Jobs from manifests as tests of CTest: ./ctest.sh [ctest's flags].
set -eu
lh-run ci --format ctest -o lighthouse-tests/CTestTestfile.cmake manifests/*.yaml
cd lighthouse-tests
exec ctest --output-on-failure --no-tests=error "$@"
