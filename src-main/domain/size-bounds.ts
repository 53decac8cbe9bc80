/**
 * Sizes that several parts must agree on: what one takes, the next can keep, hash and show. A bound that only one part knows
 * stands there.
 */
export const MIB = 1024 * 1024;

/** No tool changes larger files, so none has to be held in memory, kept whole for undo, or hashed to be patched. */
export const LARGEST_FILE = 64 * MIB;

/** What is kept in advance of one file that a command may change: larger ones are told apart, not given back. */
export const KEPT_OF_A_FILE = 1 * MIB;

/** The most of one version of a file that the window shows. */
export const SHOWN_OF_A_FILE = 1 * MIB;

/** One message of a client, by whichever door. */
export const LONGEST_MESSAGE = 4 * MIB;

/** So much of a disk stays free for everybody else, and for the record of what happens. */
export const KEPT_FREE = 256 * MIB;

/** Likewise, of what runs for days and keeps what it likes. */
export const KEPT_FREE_OF_SOURCES = 512 * MIB;

export const inMib = (bytes: number): string => `${bytes / MIB} MiB`;
