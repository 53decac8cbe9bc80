import type { Confinement, RiskLevel } from '#contract/vocabulary/calls.js';
import type { FindingKind } from '../programs/finding-kinds.js';
import type { Reading } from './reading.js';

/** The confinement and copies in force where the command would run. */
export interface ReadingSituation {
  readonly confinement: Confinement;
  /** Whether what it changes is copied before. */
  readonly copiesKept: boolean;
  /** Files that it names to change or to delete and that would have no copy. */
  readonly withoutCopy: readonly string[];
}

/**
 * Why a command may not run unasked under `commands = "sandbox"`; nothing where it may. What is not known for certain is
 * a reason.
 */
export function findUnattendedObstacles(reading: Reading, situation: ReadingSituation): readonly string[] {
  const { found, notWhole, hosts, anyHost, secrets, controlFiles, outside } = reading;
  // What was found says it with its place; where nothing was, the names alone are enough.
  const unless = (kind: FindingKind, words: readonly string[]): readonly string[] =>
    found.some((each) => each.kind === kind) ? [] : words;
  return [
    ...new Set([
      ...(notWhole === null ? [] : [notWhole]),
      ...found.filter(({ kind }) => kind !== 'notice').map(({ words }) => words),
    ]),
    ...(situation.confinement === 'confined' ? [] : [UNCONFINED[situation.confinement]]),
    ...(situation.copiesKept ? [] : ['its changes couldn’t be undone']),
    ...unless('host', [
      ...hosts.map((host) => `contacts ${host}`),
      ...(anyHost ? ['contacts hosts that can’t be known in advance'] : []),
    ]),
    ...unless(
      'secret',
      secrets.map((path) => `names ${path}, a file of secrets`),
    ),
    ...unless(
      'control-file',
      controlFiles.map((path) => `names ${path}, which can make other programs run code`),
    ),
    ...unless(
      'outside',
      outside.map((path) => `names ${path}, outside this folder`),
    ),
    ...situation.withoutCopy.map((path) => `no copy of ${path} could be kept`),
  ];
}

const UNCONFINED = {
  network: 'has network access',
  unconfined: 'runs unsandboxed',
} as const;

/** Rates the risk of this call, by what is known of it. */
export function rateRisk(reading: Reading, situation: ReadingSituation): RiskLevel {
  if (
    reading.onlyReads &&
    findUnattendedObstacles(reading, { ...situation, copiesKept: true, withoutCopy: [] }).length === 0
  )
    return 'low';
  return findUnattendedObstacles(reading, situation).length === 0 ? 'medium' : 'high';
}
