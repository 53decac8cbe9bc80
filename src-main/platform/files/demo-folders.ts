import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyFolder } from './copy-folder.js';
import { temporaryFolder } from './small-file.js';

/** Where the demo plays: nothing of it touches what is the person's own. */
export interface DemoFolders {
  readonly workspace: string;
  readonly dataDir: string;
  /** Settings of its own: what it asks is the same wherever it plays. */
  readonly config: string;
  readonly remove: () => void;
}

const SETTINGS = `# Of the demo: it asks before changes and commands.
[tools.approval]
denylist = []
commands = "ask"
edits = "ask"

[model]
provider = "demo"
`;

/** The sample, beside the app's code. */
export const demoSampleFolder = (appPath: string): string => join(appPath, 'resources', 'demo');

/** `sample`: the folder that it works in a copy of. In words, where there can be none. */
export function createDemoFolders(sample: string): DemoFolders | { readonly problem: string } {
  const { path, remove } = temporaryFolder('gatehouse-demo-');
  try {
    const root = realpathSync(path);
    const place = {
      workspace: join(root, 'corner-shop'),
      dataDir: join(root, 'data'),
      config: join(root, 'config.toml'),
      remove,
    };
    copyFolder(sample, place.workspace);
    mkdirSync(place.dataDir, { mode: 0o700 });
    writeFileSync(place.config, SETTINGS);
    return place;
  } catch (error) {
    remove();
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `The demo can’t have a folder to play in: ${why}` };
  }
}
