// SPDX-License-Identifier: Apache-2.0
// What fail_call.c and fail_entry.c have in common.
#pragma once

/// Whether this call of `kind`, made by the code at `caller`, is the one that fails. Notes its place.
int fails(const char* kind, const void* caller);

/// Whether the code at `address` belongs to the program, and not to a library.
int is_of_program(const void* address);

/// The function of that name in the libraries after this one, as dlsym(RTLD_NEXT, …) finds it.
void* next_symbol(const char* name);
