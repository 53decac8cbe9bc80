// What is known of the project without running it, by name: the program, its words, and its environment where it needs one.
import { inProject } from '../setup/project.mjs';

const bin = (name) => inProject('node_modules', '.bin', name);
/** What was found right, by its content: of a file that stands as it stood it need not be asked again. */
const kept = (name) => inProject('node_modules', '.cache', 'checks', name);
const PROJECTS = ['src-main', 'src-renderer', 'scripts', 'e2e', 'src-preload', 'src-preload/contract'];
const knip = inProject('node_modules', 'knip', 'bin', 'knip.js');

/** The longest first: they run side by side. */
export const checks = (electron) => [
  ['format', bin('prettier'), ['--check', '--log-level', 'warn', '--cache', '--cache-strategy', 'content', '.']],
  ['lint', bin('oxlint'), ['--type-aware', '--deny-warnings']],
  ...PROJECTS.map((project) => [
    `types of ${project}`,
    bin('tsc'),
    ['-p', inProject(project, 'tsconfig.json'), '--incremental', '--tsBuildInfoFile', kept(`${project}.tsbuildinfo`)],
  ]),
  ['dead code', process.execPath, [knip]],
  // Libraries are counted above: the bundler takes them in, and to knip they are for development then.
  [
    'code that only tests use',
    process.execPath,
    [knip, '--production', '--include', 'files,exports,types,enumMembers,namespaceMembers'],
  ],
  [
    'dependency rules',
    electron,
    [
      inProject('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      'src-preload',
      'src-main',
      'src-renderer',
    ],
    { ELECTRON_RUN_AS_NODE: '1' },
  ],
];
