import { unguarded } from './scripted-source.test-support.js';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOutside } from '../../outside/outside-client.js';
import { openAcceptedSources } from '../../platform/data-folder/accepted-sources.js';
import { serializeAccepted, readAccepted } from '../../tools/sources/catalog/source-acceptance.js';
import { SourceCatalog } from '../../tools/sources/catalog/source-catalog.js';
import { createOpenApiSource } from '../../tools/sources/openapi/openapi-source.js';
import { type CrashGate, openCrashGate } from '../gate/crash-gate.test-support.js';
import { defaultConfig } from '../gate/default-config.test-support.js';

interface Counted {
  readonly dataDir: string;
  readonly workspace: string;
  readonly base: string;
}

/** With a source whose one operation is counted by the server that it reaches. */
export function openCountedGate({ dataDir, workspace, base }: Counted): Promise<CrashGate> {
  const file = join(dataDir, 'counter.json');
  writeFileSync(file, JSON.stringify(documentOf(base)));
  const kept = openAcceptedSources(join(dataDir, 'accepted-sources'));
  const outside = createOutside({ secret: () => null, variable: () => null });
  return openCrashGate({
    dataDir,
    workspace,
    place: () => undefined,
    ran: () => undefined,
    register: async (registry) => {
      const catalog = new SourceCatalog({
        isDenied: () => false,
        guardCall: unguarded,
        kinds: { openapi: createOpenApiSource({ outside }) },
        dataFolder: dataDir,
        registry,
        kept: {
          find: (name) => readAccepted(kept.find(name)),
          keep: (name, accepted) => kept.keep(name, serializeAccepted(accepted)),
        },
        keepOutput: () => Promise.reject(new Error('it gives nothing to keep')),
        confinementTried: () => Promise.resolve(),
        mayBeWritten: () => false,
        now: () => 0,
        onChange: () => undefined,
      });
      catalog.begin();
      const counter = { kind: 'openapi', file, definitions: 'first' } as const;
      catalog.follow({ ...defaultConfig(), sources: { counter } });
      await catalog.find('counter')?.followed?.refresh();
    },
  });
}

export const keptText = (dataDir: string): string =>
  readFileSync(join(dataDir, 'accepted-sources', 'counter.json'), 'utf8');

const documentOf = (base: string) => ({
  openapi: '3.0.3',
  info: { title: 'Counter', version: '1.0.0' },
  servers: [{ url: base }],
  paths: {
    '/count': { post: { operationId: 'count', summary: 'Counts.', responses: { 200: { description: 'Done.' } } } },
  },
});
