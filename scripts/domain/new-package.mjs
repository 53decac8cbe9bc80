// A domain package of one tool, made so that it runs and passes as it is.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { inProject, SetupProblem } from '../setup/project.mjs';

const PART = /^[A-Za-z0-9_-]+$/;
const LONGEST = 128;

/** Gives the folder. */
export function writeNewPackage(tool, from) {
  const id = tool.includes('.') ? tool : `${tool}.run`;
  if (
    id.length > LONGEST ||
    !id.split('.').every((part) => PART.test(part)) ||
    id.toLowerCase().startsWith('gatehouse.')
  )
    throw new SetupProblem(
      `“${tool}” can’t be a tool: write <group>.<operation> of letters, digits, “_” and “-”, such as weather.today.`,
    );
  const folder = resolve(from, tool);
  if (existsSync(folder)) throw new SetupProblem(`${folder} is there already. Choose another name, or remove it.`);
  const worker = id.split('.').at(-1);
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, { flag: 'wx' });
  };
  write('manifest.yaml', manifest(id, worker));
  write('policies.yaml', POLICIES);
  write('schemas/input.json', `${JSON.stringify(INPUT, null, 2)}\n`);
  write('schemas/output.json', `${JSON.stringify(OUTPUT, null, 2)}\n`);
  write(`workers/${worker}/main.mjs`, MAIN);
  write(`workers/${worker}/Containerfile`, CONTAINERFILE);
  write('compose.yaml', compose(worker));
  copyFileSync(
    inProject('resources', 'domains', 'calculator', 'workers', 'calculator', 'worker.mjs'),
    join(folder, 'workers', worker, 'worker.mjs'),
  );
  return folder;
}

const manifest = (id, worker) => `domain_id: '${id.split('.')[0]}'
version: '0.1.0'
tools:
  - tool_id: '${id}'
    kind: 'service_worker'
    display_name: '${id}'
    description: 'Says what it was given.'
    capabilities: []
    transport:
      type: 'http'
      base_url: 'http://tool-${worker}:8080'
      endpoint: '/run'
    timeout_sec: 30
    # What the worker may reach, as host:port. Nothing else is.
    egress_allowlist: []
    input_schema_ref: 'schemas/input.json'
    output_schema_ref: 'schemas/output.json'
    idempotent: true
    side_effecting: false
    # true: the person is asked about each call.
    requires_approval: true
    risk: 'low'
    # Names of environment variables that the worker is given.
    secrets: []
    worker:
      command: ['node', 'workers/${worker}/main.mjs']
      port_env: 'PORT'
`;

const POLICIES = `concurrency:
  global: 8
  per_tool:
    default: 2
default_timeout_sec: 30
egress_allowlist: []
queue:
  max_waiting: 100
  max_wait_sec: 30
logging:
  level: 'info'
`;

const INPUT = {
  type: 'object',
  properties: { text: { type: 'string', description: 'What it says.' } },
  required: ['text'],
  additionalProperties: false,
};
const OUTPUT = {
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
};

const MAIN = `import { serveWorker, WorkerFault } from './worker.mjs';

serveWorker({
  '/run': async ({ text }, { signal }) => {
    if (typeof text !== 'string') throw new WorkerFault('VALIDATION_ERROR', 'text must be a string.', false);
    // The work goes here; \`signal\` ends at the deadline.
    signal.throwIfAborted();
    return { text };
  },
});
`;

const CONTAINERFILE = `FROM node:24-slim
COPY . /worker
WORKDIR /worker
USER 65534:65534
ENV PORT=8080 HOST=0.0.0.0
EXPOSE 8080
CMD ["node", "main.mjs"]
`;

const compose = (
  worker,
) => `# The worker as a container of its own; a gateway on the same network asks it at http://tool-${worker}:8080.
services:
  tool-${worker}:
    build: ./workers/${worker}
    read_only: true
    cap_drop: ['ALL']
    security_opt: ['no-new-privileges:true']
    tmpfs: ['/tmp']
    mem_limit: 512m
    pids_limit: 64
`;
