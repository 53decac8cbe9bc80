import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeAsker } from '../../domain/call/asker.js';
import { detailsOf } from './call-details.test-support.js';
import { openCrashGate } from './crash-gate.test-support.js';
import { testFolder } from './gate.test-support.js';
import { answerTo } from './answers.test-support.js';

describe('approved with the network, and not started when the app died', () => {
  it.each(['resume', 'discard'] as const)(
    '%s: it never runs, and the record keeps what was granted',
    async (choice) => {
      const root = testFolder('grant');
      const place = { dataDir: join(root, 'data'), workspace: join(root, 'work'), place: () => undefined };
      mkdirSync(place.dataDir);
      mkdirSync(place.workspace);
      const note = (text: string) => ({ requestId: null, tool: 'note', arguments: { text } });
      const before = await openCrashGate({ ...place, ran: () => before.journal.close() });
      const batch = before.gate.submit({
        asker: makeAsker('mcp', 's', { client: 'c 1' }),
        folder: place.workspace,
        calls: [note('runs'), note('waits its turn')],
        capacityBytes: null,
        joinable: false,
      });
      await expect.poll(() => before.sheets().length).toBe(1);
      const ids = batch.calls.map(({ callId }) => callId);
      before.read();
      const answer = await before.desk.decide(
        answerTo(before.sheets()[0], 'approve-all', {
          network: new Map(ids.slice(1).map((id) => [id, 'any'] as const)),
        }),
      );
      expect(answer.ok).toBe(true);
      // While the first ran, the journal ended as it does when the app dies: nothing after that was written.
      await batch.settled;
      const after = await openCrashGate({ ...place, ran: () => expect.fail('something ran again') });
      expect(after.recovery.isOpen).toBe(true);
      after.recovery.decide(choice);
      expect(after.sheets()).toEqual([]);
      await after.close();
      const [, second] = await detailsOf(place.dataDir, ids);
      expect(second).toMatchObject({ state: 'ABORTED', code: 'Interrupted', capabilities: ['process.run', 'network'] });
      expect(second?.events.map((event) => event.note)).toContain('Approved by you, with network for this call.');
      expect(second?.events.map(({ state }) => state)).not.toContain('EXECUTING');
      expect(second?.result).toContain(
        'It did not run. That it may use the network was for this call only, and ended with it.',
      );
    },
  );
});
