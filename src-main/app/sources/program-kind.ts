import { homedir, userInfo } from 'node:os';
import type { MakeSource } from '../../domain/ports/sources/source.js';
import { ownFiles } from '../../process/programs/own-files.js';
import { systemClock } from '../../platform/clock.js';
import { createProgramSource } from '../../tools/sources/program/program-source.js';
import type { KindParts } from './kind-parts.js';

export function programKind({ shell: { paths }, commands, valueOf }: KindParts): MakeSource {
  return createProgramSource({
    start: commands.programs.start,
    find: commands.programs.find,
    ownFiles: (command, args, cwd) =>
      ownFiles(command, args, cwd, {
        homes: [homedir(), userInfo().homedir],
        hidden: [paths.root, ...commands.folders()],
      }),
    valueOf,
    now: () => systemClock.now(),
  });
}
