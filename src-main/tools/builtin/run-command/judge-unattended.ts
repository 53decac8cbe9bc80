import type { Unattended } from '../../../domain/policy/unattended.js';
import type { NamedFiles, NamedFilesState } from '../../../domain/ports/workspace/named-files.js';
import type { JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import type { FindingKind } from '../../../domain/commands/programs/finding-kinds.js';
import type { NamedFile, Reading } from '../../../domain/commands/reading/reading.js';
import { findUnattendedObstacles, type ReadingSituation, rateRisk } from '../../../domain/commands/reading/verdicts.js';
import { type Preflight, ToolFailure } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';
import type { Json } from '#contract/vocabulary/json.js';

/** The files that a command names, as they are in the folder now. */
interface CommandTargets {
  readonly look: NamedFilesState | null;
  /** Where paths lead that are no patterns. */
  readonly led: readonly JailedPath[];
  /** Why one of them may not be touched at all; null where none is. */
  readonly refused: string | null;
}

type CommandJudgement = Pick<Preflight, 'risk'> & { readonly unasked: Unattended };

/** How dangerous a command is, and what is against running it without a person; held as it should be, which is not looked at here. */
export async function judgeCommand(reading: Reading, sandbox: Sandbox, files: NamedFiles): Promise<CommandJudgement> {
  const standing = await checkNamedFiles(reading.files, sandbox, files);
  const { look, led, refused } = standing;
  const situation: ReadingSituation = {
    confinement: 'confined',
    copiesKept: look !== null && refused === null,
    withoutCopy: look?.notKept.map(({ path }) => path) ?? [],
  };
  const against = [
    ...findUnattendedObstacles(reading, situation),
    ...(refused === null ? [] : [refused]),
    ...(alwaysAsks(reading) ? ['a kind of command that always asks'] : []),
    ...led
      .filter(({ isControlFile }) => isControlFile)
      .map(({ asked }) => `changes ${asked}, which can make other programs run code`),
  ];
  const writes = reading.onlyReads && reading.files.length === 0 ? 'nothing' : 'kept';
  const deletes = reading.files.flatMap(({ path, does }) =>
    does === 'deletes' ? [path, ...leadingTo(path, led)] : [],
  );
  return {
    risk: against.length > 0 ? 'high' : rateRisk(reading, situation),
    unasked: {
      what: 'command',
      against: against.length === 0 ? null : explainQuestion(against, reading),
      edits: describeEdits(look),
      writes: { writes, deletes: [...new Set(deletes)] },
      reading: digestJson({ reading, look, led: led.map(({ absolute }) => absolute) } as unknown as Json),
    },
  };
}

/** Explains why the command asks: what is done for good comes first, and is said to be. */
function explainQuestion(against: readonly string[], { found }: Reading): string {
  const isForGood = (said: string) => found.some(({ kind, words }) => FOR_GOOD.has(kind) && words === said);
  const all = [...new Set(against)].sort((one, other) => Number(isForGood(other)) - Number(isForGood(one)));
  const shown = all.slice(0, MAX_REASONS);
  const forGood = shown.filter(isForGood);
  const others = shown.filter((said) => !isForGood(said));
  const first = forGood.length === 0 ? [] : [`Can’t be undone: ${forGood.join('; ')}.`];
  const then =
    others.length === 0 ? [] : [`${forGood.length === 0 ? 'Needs approval' : 'Also'}: ${others.join('; ')}.`];
  return [...first, ...then].join(' ');
}

const FOR_GOOD: ReadonlySet<FindingKind> = new Set<FindingKind>(['publishes', 'rewrites-history', 'deletes-for-good']);

/** Said by what was found as well, most often; what is not said there still asks. */
const alwaysAsks = ({ neverRemembered, git, variables, found }: Reading): boolean =>
  found.every(({ kind }) => kind === 'notice') &&
  (neverRemembered.length > 0 || git === 'rewrites' || variables.some(({ harmless }) => !harmless));

/** So many reasons are told. */
const MAX_REASONS = 3;
const MAX_NAMED = 5;

function describeEdits(look: NamedFilesState | null): string | null {
  if (look === null || look.tracked.length === 0) return null;
  const named = look.tracked.slice(0, MAX_NAMED).map((path) => `“${path}”`);
  const more = look.tracked.length - named.length;
  return `It changes ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}, which Git tracks, and you review edits.`;
}

async function checkNamedFiles(
  named: readonly NamedFile[],
  sandbox: Sandbox,
  files: NamedFiles,
): Promise<CommandTargets> {
  const led: JailedPath[] = [];
  let refused: string | null = null;
  for (const { path } of named) {
    if (isPattern(path)) continue;
    try {
      led.push(await sandbox.validate(path === '' ? '.' : path));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      refused ??= `names ${path}, which tools can’t use`;
    }
  }
  const { workingDirectory } = sandbox;
  const isDenied = (relative: string): boolean => sandbox.isDenied(relative, workingDirectory);
  // Through links too: what stands where they lead is what is changed.
  const through = named.flatMap((file) => leadingTo(file.path, led).map((path) => ({ ...file, path })));
  const elsewhere = led.find(({ root }) => root !== workingDirectory);
  if (elsewhere !== undefined) refused ??= `names ${elsewhere.asked}, outside the folder it runs in`;
  const look = await files.lookAt({ root: workingDirectory, isDenied }, [...named, ...through]);
  return { look, led, refused };
}

const leadingTo = (path: string, led: readonly JailedPath[]): readonly string[] =>
  led.filter((each) => each.asked === path && each.relative !== path).map(({ relative }) => relative);

const isPattern = (path: string): boolean => /[*?[\]{}]/u.test(path);
