// swc's visitor, which reads our sources here, does not know `using` yet and would stop at the first one.
const { Visitor } = require('@swc/core/Visitor.js');
const { value: visitStatement } = Object.getOwnPropertyDescriptor(Visitor.prototype, 'visitStatement');
Visitor.prototype.visitStatement = function (statement) {
  if (statement.type !== 'UsingDeclaration') return visitStatement.call(this, statement);
  statement.decls = this.visitVariableDeclarators(statement.decls);
  return statement;
};

// The design's rules about who may import whom. scripts/guards.integration.test.ts proves each one by a deliberate violation.
const testFile = '\\.(test|test-support|spec|bench)\\.tsx?$';
const only = (name, gate, modules, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src-', pathNot: [...gate, testFile] },
  to: { path: modules },
});

const WINGS =
  'gate|authority|tools|outside|conversation|documents|workspace|process|journal|doors|settings|clients|fleet';
const GROUND = 'domain|platform|keys';

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'contract-is-pure',
      comment: 'The contract imports only itself and the schema builder.',
      severity: 'error',
      from: { path: '^src-preload/contract/', pathNot: testFile },
      to: { pathNot: ['^src-preload/contract/', '^node_modules/typebox/'] },
    },
    {
      name: 'vocabulary-is-everybodys',
      comment: 'The vocabulary knows nothing of the window.',
      severity: 'error',
      from: { path: '^src-preload/contract/vocabulary/', pathNot: testFile },
      to: { pathNot: ['^src-preload/contract/vocabulary/', '^node_modules/typebox/'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain imports only itself and the vocabulary.',
      severity: 'error',
      from: { path: '^src-main/domain/', pathNot: testFile },
      to: { pathNot: ['^src-main/domain/', '^src-preload/contract/vocabulary/'] },
    },
    {
      name: 'preload-is-narrow',
      severity: 'error',
      from: { path: '^src-preload/(index|bridge)\\.ts$' },
      to: { pathNot: ['^src-preload/', '^electron$', '^node_modules/electron/'] },
    },
    {
      name: 'renderer-touches-nothing',
      comment: 'The renderer imports itself, the contract and libraries of the web.',
      severity: 'error',
      from: { path: '^src-renderer/', pathNot: testFile },
      to: {
        path: ['^src-main/', '^src-preload/(?!contract/)', '^electron$', '^node_modules/electron/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'renderer-has-no-node',
      severity: 'error',
      from: { path: '^src-renderer/', pathNot: testFile },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'features-are-apart',
      comment: 'A feature knows no other: app.tsx gives it what it shows of another.',
      severity: 'error',
      from: { path: '^src-renderer/features/([^/]+)/', pathNot: testFile },
      to: { path: '^src-renderer/features/', pathNot: '^src-renderer/features/$1/' },
    },
    {
      name: 'calls-know-no-feature',
      comment: 'How a call is shown is the same wherever it is shown.',
      severity: 'error',
      from: { path: '^src-renderer/calls/', pathNot: testFile },
      to: { path: '^src-renderer/(?!calls/|bridge/|store/|ui/)' },
    },
    {
      name: 'ui-is-prop-only',
      comment: 'What the kit shows, it is given.',
      severity: 'error',
      from: { path: '^src-renderer/ui/', pathNot: testFile },
      to: { path: '^src-renderer/(?!ui/)' },
    },
    {
      name: 'store-shows-nothing',
      severity: 'error',
      from: { path: '^src-renderer/(store|bridge)/', pathNot: testFile },
      to: { path: '^src-renderer/(?!store/|bridge/)' },
    },
    {
      name: 'renderer-folders-in-one-direction',
      comment: 'No cycle between rooms either: what they need of each other stands in a third.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src-renderer(/|$)' },
      to: { circular: true },
    },
    {
      name: 'main-imports-only-the-contract',
      severity: 'error',
      from: { path: '^src-main/', pathNot: testFile },
      to: { path: ['^src-renderer/', '^src-preload/(?!contract/)'] },
    },
    {
      name: 'wings-are-apart',
      comment: 'Wings never import each other: they meet in domain/ports/, and are joined in app/.',
      severity: 'error',
      from: { path: `^src-main/(${WINGS})/`, pathNot: testFile },
      to: { path: `^src-main/(${WINGS}|window)/`, pathNot: '^src-main/$1/' },
    },
    {
      name: 'the-window-meets-wings-in-app',
      severity: 'error',
      from: { path: '^src-main/window/', pathNot: testFile },
      to: { path: `^src-main/(${WINGS})/` },
    },
    {
      name: 'the-ground-stands-alone',
      severity: 'error',
      from: { path: `^src-main/(${GROUND})/`, pathNot: testFile },
      to: { path: `^src-main/(${WINGS}|window)/` },
    },
    {
      name: 'gate-rooms-are-apart',
      severity: 'error',
      from: { path: '^src-main/gate/(planner|approval|queue|executor)/', pathNot: testFile },
      to: { path: '^src-main/gate/(planner|approval|queue|executor)/', pathNot: '^src-main/gate/$1/' },
    },
    {
      name: 'a-call-ends-in-one-place',
      comment: 'What ends a call is made by the gate’s settle, and by nobody else.',
      severity: 'error',
      from: { path: '^src-', pathNot: ['^src-main/gate/executor/settle\\.ts$', testFile] },
      to: { path: '^src-main/domain/call/settled-event\\.ts$' },
    },
    {
      name: 'doors-are-apart',
      comment: 'What a door gives the gateway is a value of http/route.ts.',
      severity: 'error',
      from: { path: '^src-main/doors/([^/]+)/', pathNot: testFile },
      to: { path: '^src-main/doors/([^/]+)/', pathNot: ['^src-main/doors/$1/', '^src-main/doors/http/route\\.ts$'] },
    },
    {
      name: 'tools-are-apart',
      severity: 'error',
      from: { path: '^src-main/tools/(builtin/[^/]+|registry|sources/[^/]+|packages)/', pathNot: testFile },
      to: { path: '^src-main/tools/(builtin/[^/]+|registry|sources/[^/]+|packages)/', pathNot: '^src-main/tools/$1/' },
    },
    {
      name: 'app-alone-joins',
      severity: 'error',
      from: { path: '^src-main/', pathNot: ['^src-main/index\\.ts$', '^src-main/(app|tests)/', testFile] },
      to: { path: '^src-main/(app/|index\\.ts$)' },
    },
    {
      name: 'tests-serve-no-product',
      comment: 'What only tests need is in no product file.',
      severity: 'error',
      from: { path: '^src-', pathNot: ['^src-main/tests/', testFile] },
      to: { path: ['^src-main/tests/', testFile] },
    },
    {
      name: 'sockets-only-where-named',
      comment: 'Outgoing sockets: see also the names that .oxlintrc.json keeps out of where servers listen.',
      severity: 'error',
      from: {
        path: '^src-',
        pathNot: [
          '^src-main/(outside|process/proxy|fleet|journal/sinks|journal/telemetry|doors)/',
          // Asks the person's own session bus whether the desktop has a tray.
          '^src-main/platform/session-bus\\.ts$',
          // Says what an address is, and opens nothing.
          '^src-main/platform/addresses/',
          // Listens on loopback while a client is asked for its tools, and connects to nothing.
          '^src-main/clients/asking/model-stand-in\\.ts$',
          // Reads a pipe through a socket's stream.
          '^src-main/process/start/fifo-pool\\.ts$',
          testFile,
        ],
      },
      to: {
        path: ['^(node:)?(http|https|http2|net|tls|dgram)$', '(^|/)undici(/|$)'],
        dependencyTypesNot: ['type-only'],
      },
    },
    only('sqlite-only-in-journal', ['^src-main/journal/'], '(^|/)better-sqlite3', 'One gate for the database.'),
    only(
      'processes-only-in-process',
      ['^src-main/process/'],
      '^(node:)?child_process$|(^|/)node-pty',
      'One gate for processes.',
    ),
    only(
      'keyring-only-in-system-store',
      ['^src-main/keys/system-store/'],
      '(^|/)@napi-rs/keyring',
      'One gate for the system’s own store.',
    ),
    only(
      'onnx-only-in-sentence-model',
      ['^src-main/platform/sentence-model/'],
      '(^|/)(onnxruntime-|@huggingface/)',
      'One place runs the sentence model.',
    ),
    only(
      'model-sdks-only-in-providers',
      ['^src-main/conversation/providers/'],
      '(^|/)@ai-sdk/',
      'One place knows the words of providers.',
    ),
    only('ajv-only-in-json-schema', ['^src-main/platform/json-schema\\.ts$'], '(^|/)ajv', 'One JSON Schema validator.'),
    only('xterm-only-in-terminal', ['^src-renderer/calls/terminal/'], '(^|/)@xterm/', 'One terminal.'),
    only(
      'fs-only-behind-gates',
      ['^src-main/(workspace|journal|settings|platform|keys|process|clients/files)/'],
      '^(node:)?fs(/promises)?$',
      'Files are touched only where it is safe to.',
    ),
    only(
      'electron-only-where-windows-are',
      ['^src-main/index\\.ts$', '^src-main/(app|window|platform|keys)/', '^src-preload/(index|bridge)\\.ts$'],
      '^electron$|^node_modules/electron/',
      'The rest runs without Electron.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(out|dist|artifacts|\\.runtime)/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
