import type { KnownOptions } from '../options.js';
import { publishesByScript, needs, NPM_MORE, npmLike, PUBLISHES, STARTS_PACKAGE, unlessGiven } from './npm.js';
import {
  effect,
  sameForNames,
  type ParsedArguments,
  hasOption,
  type Program,
  type ProgramTable,
  verbOf,
} from '../program.js';

/** A file of requirements may say itself where they come from. */
const pipFrom = (given: ParsedArguments): readonly string[] => {
  const listed = given.options.get('r') ?? given.options.get('requirement') ?? '';
  return unlessGiven(listed === '' ? 'pip' : `pip ${listed}`, 'i', 'index-url')(given);
};

const PIP: Program = {
  nature: 'edits',
  verbs: {
    ...sameForNames('install download wheel', {
      nature: 'edits',
      operands: ['value'],
      needs: pipFrom,
      more: 'r:reads requirement:reads c:reads constraint:reads e:reads editable:reads t:writes target:writes d:writes dest:writes w:writes i:host index-url:host extra-index-url:host f:host find-links:host prefix:writes root:writes U! upgrade! q!',
      findEffects: (given: ParsedArguments) =>
        hasOption(given, 'user', 'break-system-packages') ? [effect('outside', 'installs outside this folder')] : [],
    } satisfies Program),
    uninstall: { nature: 'edits', operands: ['value'] },
    ...sameForNames('list freeze show check inspect help', {
      nature: 'reads',
      options: { letters: 'lov', long: 'format= local user not-required exclude-editable outdated', valued: '' },
      operands: ['value'],
      needs: (given: ParsedArguments) => (hasOption(given, 'o', 'outdated', 'u', 'uptodate') ? ['pip'] : []),
    } satisfies Program),
    ...sameForNames('search index', { nature: 'edits', operands: ['value'], needs: needs('pip') } satisfies Program),
    ...sameForNames('cache', { nature: 'edits', operands: ['value'] } satisfies Program),
    config: {
      nature: 'edits',
      operands: ['text'],
      effects: [effect('control-file', 'changes pip’s settings, which can make it download from elsewhere')],
    },
  },
};

const CARGO: KnownOptions = {
  letters: 'qvr',
  valued: 'pj',
  long: 'release workspace all lib bins bin= examples example= tests test= benches all-targets all-features no-default-features features= package= exclude= quiet verbose locked offline frozen message-format= no-fail-fast no-run jobs= keep-going check no-deps',
  passesOn: true,
};
const CARGO_MORE = 'config:program manifest-path:folder target-dir:writes target:value profile:value Z:program F:value';
const cargoWorks: Program = { nature: 'runs', options: CARGO, more: CARGO_MORE, operands: ['value'] };
const GO: KnownOptions = {
  oneDash: true,
  long: 'v race short count= run= skip= timeout= cover bench= benchtime= benchmem json failfast parallel= p= tags= x n a trimpath',
  operand: (operand) => /^[\w./@-]+$/u.test(operand),
};
const GO_MORE =
  'exec:program toolexec:program vettool:program overlay:program modfile:program o:writes ldflags:code gcflags:text asmflags:text mod:value coverprofile:writes cpuprofile:writes memprofile:writes outputdir:writes C:folder run:text bench:text skip:text coverpkg:value covermode:value';
const goWorks: Program = { nature: 'runs', options: GO, more: GO_MORE, operands: ['reads'] };

const installsFrom = (host: string): Program => ({ nature: 'edits', operands: ['value'], needs: needs(host) });
const runs = (more: Partial<Program> = {}): Program => ({ nature: 'runs', operands: ['value'], ...more });

/** Package managers: what they fetch, from where, and whose scripts run. */
export const PACKAGES: ProgramTable = {
  npm: { nature: 'edits', tellsVersion: true, verbs: npmLike('npm', 'npm'), more: NPM_MORE },
  pnpm: {
    nature: 'edits',
    tellsVersion: true,
    verbs: { ...npmLike('npm', 'pnpm'), exec: { nature: 'runs', starts: STARTS_PACKAGE } },
    more: `${NPM_MORE} r!reads F:value filter:value dir:folder`,
  },
  yarn: {
    nature: 'edits',
    tellsVersion: true,
    verbs: {
      ...npmLike('yarn', 'yarn'),
      exec: { nature: 'runs', starts: STARTS_PACKAGE },
      global: installsFrom('yarn'),
      npm: { nature: 'edits', verbs: npmLike('yarn', 'yarn') },
      '': installsFrom('yarn'),
    },
    more: `${NPM_MORE} cwd:folder`,
  },
  bun: {
    nature: 'runs',
    finds: false,
    fetchesScripts: true,
    tellsVersion: true,
    verbs: {
      ...npmLike('bun', 'bun'),
      test: runs({ more: 't:text preload:script r:script' }),
      build: runs({ more: 'outdir:writes outfile:writes' }),
      run: {
        nature: 'runs',
        options: { letters: '', operand: (operand) => /^[\w:.-]+$/u.test(operand) },
        operands: ['reads'],
        findEffects: publishesByScript(0),
        finds: (name) => !/[./]/u.test(name),
      },
      x: { nature: 'runs', finds: true, starts: STARTS_PACKAGE, needs: needs('bun exec') },
    },
    more: 'e:code eval:code p:code print:code r:script preload:script cwd:folder',
  },
  ...sameForNames('npx pnpx bunx', {
    nature: 'runs',
    starts: STARTS_PACKAGE,
    more: 'p:value package:value c:shell call:shell y! yes! no-install! no! q! quiet!',
    needs: needs('npm exec'),
  } satisfies Program),
  corepack: runs({ needs: needs('npm') }),
  deno: {
    nature: 'runs',
    finds: false,
    fetchesScripts: true,
    tellsVersion: true,
    more: 'e:code',
    verbs: {
      ...sameForNames(
        'run test bench serve',
        runs({
          operands: ['script', 'reads'],
          more: 'A! allow-all! allow-net! allow-read! allow-write! c:program config:program import-map:program preload:program',
          needs: () => [],
        }),
      ),
      ...sameForNames('fmt lint check types info doc', runs({ operands: ['reads'] })),
      eval: runs({ operands: ['code'] }),
      task: runs({ finds: true, findEffects: publishesByScript(0) }),
      ...sameForNames('install add cache upgrade', installsFrom('jsr.io')),
      publish: { ...installsFrom('jsr.io'), ...PUBLISHES('publishes a package') },
    },
  },
  ...sameForNames('pip pip3', PIP),
  pipx: runs({ needs: needs('pip') }),
  pipenv: {
    nature: 'runs',
    verbs: {
      ...sameForNames('install sync update lock upgrade', installsFrom('pipenv')),
      run: runs({ starts: STARTS_PACKAGE }),
      ...sameForNames('graph check', runs()),
    },
  },
  poetry: {
    nature: 'runs',
    verbs: {
      ...sameForNames('install add update lock sync self', installsFrom('pip')),
      run: runs({ starts: STARTS_PACKAGE }),
      ...sameForNames('show check env version build remove init', runs()),
      publish: { ...installsFrom('pip'), ...PUBLISHES('publishes a package') },
    },
  },
  ...sameForNames('uv', {
    nature: 'runs',
    verbs: {
      ...sameForNames('add sync lock tool python self', installsFrom('pip')),
      pip: PIP,
      run: runs({
        starts: STARTS_PACKAGE,
        more: 'with:value python:value p:value extra:value group:value env-file:reads project:folder directory:folder',
      }),
      ...sameForNames('venv init remove tree export version build', runs()),
      publish: { ...installsFrom('pip'), ...PUBLISHES('publishes a package') },
    },
  } satisfies Program),
  uvx: runs({ starts: STARTS_PACKAGE, needs: needs('pip') }),
  ...sameForNames('twine flit', {
    nature: 'edits',
    needs: needs('pip'),
    verbs: {
      check: runs(),
      build: runs(),
      ...sameForNames('upload publish register', {
        nature: 'edits',
        needs: needs('pip'),
        ...PUBLISHES('publishes a package'),
      } satisfies Program),
    },
  } satisfies Program),
  ...sameForNames('conda mamba micromamba', {
    nature: 'edits',
    verbs: {
      ...sameForNames('list info', { nature: 'reads', anyOption: true, operands: ['value'] } satisfies Program),
      run: runs({ starts: STARTS_PACKAGE, more: 'n:value p:value' }),
      ...sameForNames('install create update env search remove', installsFrom('conda')),
      ...sameForNames('activate deactivate init', runs()),
    },
  } satisfies Program),
  cargo: {
    nature: 'runs',
    more: CARGO_MORE,
    verbs: {
      ...sameForNames('build b check c test t clippy fmt doc run r bench', cargoWorks),
      ...sameForNames('clean', { nature: 'edits', more: CARGO_MORE } satisfies Program),
      ...sameForNames('tree metadata locate-project version pkgid verify-project read-manifest', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
        more: CARGO_MORE,
      } satisfies Program),
      ...sameForNames('new init', runs({ operands: ['writes'] })),
      ...sameForNames(
        'install add update fetch search info vendor generate-lockfile audit outdated upgrade',
        installsFrom('cargo'),
      ),
      ...sameForNames('remove rm fix expand nextest llvm-cov miri deny machete bloat', cargoWorks),
      package: cargoWorks,
      ...sameForNames('publish yank owner login', {
        ...installsFrom('cargo'),
        ...PUBLISHES('publishes a crate, or changes what is published'),
      }),
    },
  },
  rustup: {
    nature: 'edits',
    operands: ['value'],
    needs: ({ operands: [verb] }) =>
      /^(?:show|which|toolchain|target|component|run)$/u.test(verb ?? '') ? [] : ['rustup'],
  },
  go: {
    nature: 'runs',
    verbs: {
      ...sameForNames('build test vet fmt list', goWorks),
      ...sameForNames('generate', runs({ operands: ['reads'] })),
      run: runs({
        operands: ['reads'],
        more: GO_MORE,
        needs: ({ operands: [what] }) => (/@/u.test(what ?? '') ? ['go'] : []),
      }),
      ...sameForNames('env version help doc', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
        findEffects: (given: ParsedArguments) =>
          hasOption(given, 'w', 'u') ? [effect('outside', 'changes Go’s settings for this whole machine')] : [],
      } satisfies Program),
      ...sameForNames('get install', installsFrom('go')),
      mod: {
        nature: 'edits',
        operands: ['value'],
        more: 'require:value replace:value go:value',
        needs: (given) => (/^(?:tidy|download|why|graph|vendor|verify)$/u.test(verbOf(given)) ? ['go'] : []),
      },
      ...sameForNames('work clean tool fix', runs()),
    },
  },
  gem: {
    nature: 'edits',
    verbs: {
      ...sameForNames('list specification contents environment which', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
      } satisfies Program),
      ...sameForNames('install update fetch search outdated', installsFrom('gem')),
      build: runs({ operands: ['reads'] }),
      push: { ...installsFrom('gem'), ...PUBLISHES('publishes a gem') },
      yank: { ...installsFrom('gem'), ...PUBLISHES('takes a gem back') },
    },
  },
  ...sameForNames('bundle bundler', {
    nature: 'edits',
    verbs: {
      '': installsFrom('gem'),
      ...sameForNames('install update add outdated lock', installsFrom('gem')),
      exec: runs({ starts: STARTS_PACKAGE }),
      ...sameForNames('list show info check', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
      } satisfies Program),
    },
  } satisfies Program),
  composer: {
    nature: 'edits',
    verbs: {
      ...sameForNames(
        'install update require create-project outdated search audit self-update',
        installsFrom('composer'),
      ),
      ...sameForNames('dump-autoload dumpautoload validate show remove', runs()),
      ...sameForNames('run run-script exec test', runs({ findEffects: publishesByScript(0) })),
    },
  },
  ...sameForNames('apt apt-get aptitude dpkg dnf yum apk pacman zypper snap flatpak brew port rpm', {
    nature: 'edits',
    operands: ['value'],
    findEffects: ({ operands: [verb], options }: ParsedArguments) =>
      /^(?:list|show|search|info|policy|files|leaves|deps|config|doctor|--version)$/u.test(verb ?? '') ||
      options.has('l') ||
      options.has('version')
        ? []
        : [effect('system', 'changes what is installed on this machine')],
    needs: ({ operands: [verb] }: ParsedArguments) =>
      /^(?:list|show|info|policy|files|leaves|deps|config)$/u.test(verb ?? '') ? [] : ['?'],
  } satisfies Program),
  ...sameForNames(
    'mvn mvnw',
    runs({
      more: 'f:folder file:folder s:program settings:program D:text P:value pl:value q! o! offline! B!',
      findEffects: ({ operands }) =>
        operands.some((goal) => /^(?:deploy|release|site-deploy)/u.test(goal ?? ''))
          ? [effect('publishes', 'publishes to a repository')]
          : [],
    }),
  ),
  ...sameForNames(
    'gradle gradlew',
    runs({
      more: 'I:program init-script:program p:folder project-dir:folder b:program D:text P:text x:value',
      findEffects: ({ operands }) =>
        operands.some((task) => /publish|deploy|release|upload/iu.test(task ?? ''))
          ? [effect('publishes', 'publishes by the name of a task')]
          : [],
    }),
  ),
  ...sameForNames('dotnet', {
    nature: 'runs',
    verbs: {
      ...sameForNames('build test run clean format', runs()),
      ...sameForNames('restore add tool workload', installsFrom('nuget')),
      nuget: { ...installsFrom('nuget'), ...PUBLISHES('may publish a package') },
    },
  } satisfies Program),
  ...sameForNames('mix', {
    nature: 'runs',
    operands: ['value'],
    needs: ({ operands: [verb] }: ParsedArguments) =>
      /^(?:deps\.get|deps\.update|local\.|hex\.|archive\.install)/u.test(verb ?? '') ? ['hex'] : [],
    findEffects: ({ operands: [verb] }: ParsedArguments) =>
      verb?.startsWith('hex.publish') === true ? [effect('publishes', 'publishes a package')] : [],
  } satisfies Program),
};
