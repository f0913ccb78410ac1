# SPDX-License-Identifier: Apache-2.0
"""Stands in for the build backend that the pinned archives name (see build.py)."""
