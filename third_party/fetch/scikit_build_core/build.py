# SPDX-License-Identifier: Apache-2.0
"""A build backend that builds nothing.

pip asks the backend of a source archive for its metadata even when it is only told to download.
With this package first on PYTHONPATH the answer is the archive's own PKG-INFO, so that no foreign
code runs and nothing but the archive is fetched.
"""

import pathlib


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    text = pathlib.Path("PKG-INFO").read_text(encoding="utf-8")
    fields = dict(line.split(": ", 1) for line in text.partition("\n\n")[0].splitlines() if ": " in line)
    name = f"{fields['Name'].replace('-', '_')}-{fields['Version']}.dist-info"
    folder = pathlib.Path(metadata_directory) / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(text, encoding="utf-8")
    return name
