import type { Json } from '#contract/vocabulary/json.js';

/** The call that proves a client's settings: it reads, and says little. */
export const TEST_CALL = { name: 'list_directory', arguments: { path: '.', max_entries: 1 } } as const;

/** The variable by which the window's own pipe is known to it. */
export const TEST_CALL_VARIABLE = 'GATEHOUSE_TEST_CALL';

export const isTestCall = (name: string, args: Json): boolean =>
  name === TEST_CALL.name && JSON.stringify(args) === JSON.stringify(TEST_CALL.arguments);
