import { expect } from 'vitest';
import type { CallDetail } from '#contract/vocabulary/calls.js';
import { openServiceReader } from '../../journal/writing/journal.test-support.js';

/** As History reads them, from a journal that verifies. */
export async function detailsOf(dataDir: string, ids: readonly string[]): Promise<readonly CallDetail[]> {
  const { service, verify } = openServiceReader(dataDir);
  expect(await verify()).toMatchObject({ ok: true });
  const details: CallDetail[] = [];
  for (const id of ids) details.push((await service.detail(id)) ?? expect.fail(`no call ${id}`));
  service.close();
  return details;
}
