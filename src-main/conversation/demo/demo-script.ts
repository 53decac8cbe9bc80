import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ModelResult } from '../../domain/ports/conversation/model.js';

/** The messages that the demo sends in the person's place; its answers are found by these words. */
export const DEMO_OPENING = 'The total of this shop is wrong. Find out why, and put it right.';
export const DEMO_UNDONE = 'I undid your patch. Look at the file again.';

/** A step of the script: the text, which depends on the results of the calls before, and the calls that it makes. */
export interface DemoStep {
  readonly says: (results: readonly ModelResult[]) => string;
  readonly calls: readonly { readonly tool: string; readonly arguments: JsonObject }[];
}

const PATCH = ['LP1', 'F total.sh', 'R', '  sum=$((sum - price))', '.', '  sum=$((sum + price))', '.', 'END', ''].join(
  '\n',
);

const always = (text: string) => () => text;
const byResult =
  (well: string, otherwise: string): DemoStep['says'] =>
  (results) =>
    results.some(({ isError }) => isError) ? otherwise : well;

const byCheck =
  (well: string, otherwise: string): DemoStep['says'] =>
  (results) =>
    results.find(({ name }) => name === 'run_command')?.isError === false ? well : otherwise;

export const DEMO_STEPS: ReadonlyMap<string, readonly DemoStep[]> = new Map([
  [
    DEMO_OPENING,
    [
      {
        says: always(
          'This is a demo: a script plays the model, on a sample folder of its own. Its calls are real, and so are the checks. ' +
            'First it looks around, which needs no approval.',
        ),
        calls: [{ tool: 'list_directory', arguments: { path: '.' } }],
      },
      {
        says: always('Two of these files matter here.'),
        calls: [
          { tool: 'read_file', arguments: { path: 'total.sh' } },
          { tool: 'read_file', arguments: { path: 'check.sh' } },
        ],
      },
      {
        says: always(
          '`total.sh` subtracts each price. You review file changes before they’re made: this is the patch.',
        ),
        calls: [{ tool: 'apply_patch', arguments: { patch: PATCH } }],
      },
      {
        says: byResult(
          'The patch is in. Two things more: a file outside the folder, which is refused without asking you, and the check, ' +
            'which runs in the sandbox and without the network.',
          'The patch was not applied. Two things more: a file outside the folder, which is refused without asking you, and ' +
            'the check, which runs in the sandbox and without the network.',
        ),
        calls: [
          { tool: 'write_file', arguments: { path: '../outside.txt', content: 'This must not be written.\n' } },
          { tool: 'run_command', arguments: { command: 'sh check.sh' } },
        ],
      },
      {
        says: byCheck(
          'The check passes. Whatever a call changed can be undone: the demo now undoes the patch.',
          'The check did not pass. Everything that was asked for is in History, with why it ended so.',
        ),
        calls: [],
      },
    ],
  ],
  [
    DEMO_UNDONE,
    [
      {
        says: always('Then it should be as it was.'),
        calls: [{ tool: 'read_file', arguments: { path: 'total.sh' } }],
      },
      {
        says: always(
          'That was the demo. To work with a model of your own, choose one in Settings; to let an agent work through ' +
            'Gatehouse, connect it under Agents.',
        ),
        calls: [],
      },
    ],
  ],
]);

export const DEMO_KNOWS_NO_MORE =
  'The demo plays a script, and knows nothing else. Choose a model in Settings to talk to one.';
