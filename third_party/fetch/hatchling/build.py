# SPDX-License-Identifier: Apache-2.0
"""The same backend that builds nothing, for archives that name hatchling."""

from scikit_build_core.build import get_requires_for_build_wheel, prepare_metadata_for_build_wheel  # noqa: F401
