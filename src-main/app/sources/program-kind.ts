import type { MakeSource } from '../../domain/ports/sources/source.js';
import { systemClock } from '../../platform/clock.js';
import { createProgramSource } from '../../tools/sources/program/program-source.js';
import type { KindParts } from './kind-parts.js';

export function programKind({ commands, valueOf, homeOf }: KindParts): MakeSource {
  return createProgramSource({
    start: commands.programs.start,
    find: commands.programs.find,
    code: commands.code,
    valueOf,
    homeOf,
    now: () => systemClock.now(),
  });
}
