/* A program that holds this symbol holds the part: internal/attest asks for it. */
const int libcost_swap_locks = 1;
