# SPDX-License-Identifier: Apache-2.0
# Read by cpack once for each kind of package: a .deb a component for /usr, one archive of all components for anywhere.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  # Each description begins with a summary of its own.
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
  # The system's loader knows where its cuFFT lies.
  set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/drop_runpath.cmake")
else()
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
endif()
