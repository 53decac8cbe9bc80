import type { KnownOptions } from '../options.js';
import { byScript, needs, NPM_MORE, npmLike, PUBLISHES, unlessGiven } from './npm.js';
import { deed, each, type Given, has, type Program, type Programs, verbOf } from '../program.js';

/** A file of requirements may say itself where they come from. */
const pipFrom = (given: Given): readonly string[] => {
  const listed = given.options.get('r') ?? given.options.get('requirement') ?? '';
  return unlessGiven(listed === '' ? 'pip' : `pip ${listed}`, 'i', 'index-url')(given);
};

const PIP: Program = {
  nature: 'edits',
  verbs: {
    ...each('install download wheel', {
      nature: 'edits',
      operands: ['value'],
      needs: pipFrom,
      more: 'r:reads requirement:reads c:reads constraint:reads e:reads editable:reads t:writes target:writes d:writes dest:writes w:writes i:host index-url:host extra-index-url:host f:host find-links:host prefix:writes root:writes U! upgrade! q!',
      look: (given: Given) =>
        has(given, 'user', 'break-system-packages') ? [deed('outside', 'installs outside this folder')] : [],
    } satisfies Program),
    uninstall: { nature: 'edits', operands: ['value'] },
    ...each('list freeze show check inspect help', {
      nature: 'reads',
      options: { letters: 'lov', long: 'format= local user not-required exclude-editable outdated', valued: '' },
      operands: ['value'],
      needs: (given: Given) => (has(given, 'o', 'outdated', 'u', 'uptodate') ? ['pip'] : []),
    } satisfies Program),
    ...each('search index', { nature: 'edits', operands: ['value'], needs: needs('pip') } satisfies Program),
    ...each('cache', { nature: 'edits', operands: ['value'] } satisfies Program),
    config: {
      nature: 'edits',
      operands: ['text'],
      deeds: [deed('control-file', 'changes pip’s settings, which can make it download from elsewhere')],
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
export const PACKAGES: Programs = {
  npm: { nature: 'edits', verbs: npmLike('npm', 'npm'), more: NPM_MORE },
  pnpm: {
    nature: 'edits',
    verbs: { ...npmLike('npm', 'pnpm'), exec: { nature: 'runs', starts: {} } },
    more: `${NPM_MORE} r!reads F:value filter:value dir:folder`,
  },
  yarn: {
    nature: 'edits',
    verbs: {
      ...npmLike('yarn', 'yarn'),
      exec: { nature: 'runs', starts: {} },
      global: installsFrom('yarn'),
      npm: { nature: 'edits', verbs: npmLike('yarn', 'yarn') },
      '': installsFrom('yarn'),
    },
    more: `${NPM_MORE} cwd:folder`,
  },
  bun: {
    nature: 'runs',
    verbs: {
      ...npmLike('bun', 'bun'),
      test: runs({ more: 't:text preload:script r:script' }),
      build: runs({ more: 'outdir:writes outfile:writes' }),
      run: {
        nature: 'runs',
        options: { letters: '', operand: (operand) => /^[\w:.-]+$/u.test(operand) },
        operands: ['reads'],
        look: byScript(0),
      },
      x: { nature: 'runs', starts: {}, needs: needs('bun exec') },
    },
    more: 'e:code eval:code p:code print:code r:script preload:script cwd:folder',
  },
  ...each('npx pnpx bunx', {
    nature: 'runs',
    starts: {},
    more: 'p:value package:value c:shell call:shell y! yes! no-install! no! q! quiet!',
    needs: needs('npm exec'),
  } satisfies Program),
  corepack: runs({ needs: needs('npm') }),
  deno: {
    nature: 'runs',
    more: 'e:code',
    verbs: {
      ...each(
        'run test bench serve',
        runs({
          operands: ['script', 'reads'],
          more: 'A! allow-all! allow-net! allow-read! allow-write! c:program config:program import-map:program preload:program',
          needs: () => [],
        }),
      ),
      ...each('fmt lint check types info doc', runs({ operands: ['reads'] })),
      eval: runs({ operands: ['code'] }),
      task: runs({ look: byScript(0) }),
      ...each('install add cache upgrade', installsFrom('jsr.io')),
      publish: { ...installsFrom('jsr.io'), ...PUBLISHES('publishes a package') },
    },
  },
  ...each('pip pip3', PIP),
  pipx: runs({ needs: needs('pip') }),
  pipenv: {
    nature: 'runs',
    verbs: {
      ...each('install sync update lock upgrade', installsFrom('pipenv')),
      run: runs({ starts: {} }),
      ...each('graph check', runs()),
    },
  },
  poetry: {
    nature: 'runs',
    verbs: {
      ...each('install add update lock sync self', installsFrom('pip')),
      run: runs({ starts: {} }),
      ...each('show check env version build remove init', runs()),
      publish: { ...installsFrom('pip'), ...PUBLISHES('publishes a package') },
    },
  },
  ...each('uv', {
    nature: 'runs',
    verbs: {
      ...each('add sync lock tool python self', installsFrom('pip')),
      pip: PIP,
      run: runs({
        starts: {},
        more: 'with:value python:value p:value extra:value group:value env-file:reads project:folder directory:folder',
      }),
      ...each('venv init remove tree export version build', runs()),
      publish: { ...installsFrom('pip'), ...PUBLISHES('publishes a package') },
    },
  } satisfies Program),
  uvx: runs({ starts: {}, needs: needs('pip') }),
  ...each('twine flit', {
    nature: 'edits',
    needs: needs('pip'),
    verbs: {
      check: runs(),
      build: runs(),
      ...each('upload publish register', {
        nature: 'edits',
        needs: needs('pip'),
        ...PUBLISHES('publishes a package'),
      } satisfies Program),
    },
  } satisfies Program),
  ...each('conda mamba micromamba', {
    nature: 'edits',
    verbs: {
      ...each('list info', { nature: 'reads', anyOption: true, operands: ['value'] } satisfies Program),
      run: runs({ starts: {}, more: 'n:value p:value' }),
      ...each('install create update env search remove', installsFrom('conda')),
      ...each('activate deactivate init', runs()),
    },
  } satisfies Program),
  cargo: {
    nature: 'runs',
    more: CARGO_MORE,
    verbs: {
      ...each('build b check c test t clippy fmt doc run r bench', cargoWorks),
      ...each('clean', { nature: 'edits', more: CARGO_MORE } satisfies Program),
      ...each('tree metadata locate-project version pkgid verify-project read-manifest', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
        more: CARGO_MORE,
      } satisfies Program),
      ...each('new init', runs({ operands: ['writes'] })),
      ...each(
        'install add update fetch search info vendor generate-lockfile audit outdated upgrade',
        installsFrom('cargo'),
      ),
      ...each('remove rm fix expand nextest llvm-cov miri deny machete bloat', cargoWorks),
      package: cargoWorks,
      ...each('publish yank owner login', {
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
      ...each('build test vet fmt list', goWorks),
      ...each('generate', runs({ operands: ['reads'] })),
      run: runs({
        operands: ['reads'],
        more: GO_MORE,
        needs: ({ operands: [what] }) => (/@/u.test(what ?? '') ? ['go'] : []),
      }),
      ...each('env version help doc', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
        look: (given: Given) =>
          has(given, 'w', 'u') ? [deed('outside', 'changes Go’s settings for this whole machine')] : [],
      } satisfies Program),
      ...each('get install', installsFrom('go')),
      mod: {
        nature: 'edits',
        operands: ['value'],
        more: 'require:value replace:value go:value',
        needs: (given) => (/^(?:tidy|download|why|graph|vendor|verify)$/u.test(verbOf(given)) ? ['go'] : []),
      },
      ...each('work clean tool fix', runs()),
    },
  },
  gem: {
    nature: 'edits',
    verbs: {
      ...each('list specification contents environment which', {
        nature: 'reads',
        anyOption: true,
        operands: ['value'],
      } satisfies Program),
      ...each('install update fetch search outdated', installsFrom('gem')),
      build: runs({ operands: ['reads'] }),
      push: { ...installsFrom('gem'), ...PUBLISHES('publishes a gem') },
      yank: { ...installsFrom('gem'), ...PUBLISHES('takes a gem back') },
    },
  },
  ...each('bundle bundler', {
    nature: 'edits',
    verbs: {
      '': installsFrom('gem'),
      ...each('install update add outdated lock', installsFrom('gem')),
      exec: runs({ starts: {} }),
      ...each('list show info check', { nature: 'reads', anyOption: true, operands: ['value'] } satisfies Program),
    },
  } satisfies Program),
  composer: {
    nature: 'edits',
    verbs: {
      ...each('install update require create-project outdated search audit self-update', installsFrom('composer')),
      ...each('dump-autoload dumpautoload validate show remove', runs()),
      ...each('run run-script exec test', runs({ look: byScript(0) })),
    },
  },
  ...each('apt apt-get aptitude dpkg dnf yum apk pacman zypper snap flatpak brew port rpm', {
    nature: 'edits',
    operands: ['value'],
    look: ({ operands: [verb], options }: Given) =>
      /^(?:list|show|search|info|policy|files|leaves|deps|config|doctor|--version)$/u.test(verb ?? '') ||
      options.has('l') ||
      options.has('version')
        ? []
        : [deed('system', 'changes what is installed on this machine')],
    needs: ({ operands: [verb] }: Given) =>
      /^(?:list|show|info|policy|files|leaves|deps|config)$/u.test(verb ?? '') ? [] : ['?'],
  } satisfies Program),
  ...each(
    'mvn mvnw',
    runs({
      more: 'f:folder file:folder s:program settings:program D:text P:value pl:value q! o! offline! B!',
      look: ({ operands }) =>
        operands.some((goal) => /^(?:deploy|release|site-deploy)/u.test(goal ?? ''))
          ? [deed('publishes', 'publishes to a repository')]
          : [],
    }),
  ),
  ...each(
    'gradle gradlew',
    runs({
      more: 'I:program init-script:program p:folder project-dir:folder b:program D:text P:text x:value',
      look: ({ operands }) =>
        operands.some((task) => /publish|deploy|release|upload/iu.test(task ?? ''))
          ? [deed('publishes', 'publishes by the name of a task')]
          : [],
    }),
  ),
  ...each('dotnet', {
    nature: 'runs',
    verbs: {
      ...each('build test run clean format', runs()),
      ...each('restore add tool workload', installsFrom('nuget')),
      nuget: { ...installsFrom('nuget'), ...PUBLISHES('may publish a package') },
    },
  } satisfies Program),
  ...each('mix', {
    nature: 'runs',
    operands: ['value'],
    needs: ({ operands: [verb] }: Given) =>
      /^(?:deps\.get|deps\.update|local\.|hex\.|archive\.install)/u.test(verb ?? '') ? ['hex'] : [],
    look: ({ operands: [verb] }: Given) =>
      verb?.startsWith('hex.publish') === true ? [deed('publishes', 'publishes a package')] : [],
  } satisfies Program),
};
