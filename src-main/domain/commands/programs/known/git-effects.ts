import { effect, type Effect, hasOption, type ParsedArguments } from '../program.js';

export const REWRITES = 'rewrites-history';
/** Hosts of the remote that the command names, or of the usual one. */
export const hosts =
  (work: 'fetch' | 'push', at = 0) =>
  (given: ParsedArguments): readonly string[] => {
    if (work === 'fetch' && hasOption(given, 'all', 'multiple')) return ['git all'];
    const remote = given.options.get('repo') ?? given.operands[at];
    return remote === null ? ['?'] : [`git ${work} ${remote ?? ''}`.trim()];
  };

export const onlyWith =
  (kind: Effect['kind'], words: string, ...names: readonly string[]) =>
  (given: ParsedArguments): readonly Effect[] =>
    hasOption(given, ...names) ? [effect(kind, words)] : [];

const isHead = (operand: string | null): boolean => operand === 'HEAD' || operand === '@';

/** A commit that is no longer on a branch is found in the reflog alone. */
export function resets(given: ParsedArguments): readonly Effect[] {
  if (hasOption(given, 'hard')) return [effect(REWRITES, 'throws away uncommitted changes')];
  if (hasOption(given, 'merge', 'keep')) return [effect(REWRITES, 'throws away uncommitted changes')];
  const [to] = given.operands;
  const isOfFiles = given.all.includes('--') || given.operands.length > 1;
  return to === undefined || isHead(to) || (isOfFiles && (isHead(to) || given.all[0] === '--'))
    ? []
    : [effect(REWRITES, 'moves the branch; commits may be left behind')];
}

const LISTS = /^(?:-|l$|list$)/u;

export function branches(given: ParsedArguments): readonly Effect[] {
  if (hasOption(given, 'D') || (hasOption(given, 'd', 'delete') && hasOption(given, 'f', 'force')))
    return [effect(REWRITES, 'deletes a branch, with commits that may be nowhere else')];
  if (hasOption(given, 'f', 'force', 'M', 'C')) return [effect(REWRITES, 'moves or overwrites a branch')];
  return [];
}

export function configures(given: ParsedArguments): readonly Effect[] {
  const reads =
    hasOption(
      given,
      'get',
      'get-all',
      'get-regexp',
      'get-urlmatch',
      'list',
      'l',
      'get-color',
      'get-colorbool',
      'name-only',
    ) ||
    LISTS.test(given.operands[0] ?? '') ||
    given.operands[0] === 'get';
  const changes = hasOption(
    given,
    'add',
    'unset',
    'unset-all',
    'replace-all',
    'rename-section',
    'remove-section',
    'e',
    'edit',
  );
  return (reads || given.operands.length === 1) && !changes
    ? []
    : [effect('control-file', 'changes Git’s settings, which can make it run code')];
}

export function cleans(given: ParsedArguments): readonly Effect[] {
  if (hasOption(given, 'n', 'dry-run')) return [];
  return [effect('deletes-for-good', 'deletes files that Git doesn’t know')];
}

export function pushes(given: ParsedArguments): readonly Effect[] {
  const forced =
    hasOption(given, 'f', 'force', 'force-with-lease', 'force-if-includes', 'mirror', 'd', 'delete', 'prune') ||
    given.operands.some((operand) => operand?.startsWith('+') === true || operand?.startsWith(':') === true);
  return [
    ...(forced ? [effect(REWRITES, 'force-pushes: overwrites history on the remote')] : []),
    effect('publishes', 'pushes commits to the remote'),
  ];
}

export function stashes({ operands: [verb] }: ParsedArguments): readonly Effect[] {
  return verb === 'drop' || verb === 'clear' ? [effect(REWRITES, 'throws away stashed changes')] : [];
}

export const LEADS_ELSEWHERE = 'changes where a remote leads: the next push or fetch goes there';

export function remotes({ operands: [verb] }: ParsedArguments): readonly Effect[] {
  if (verb === 'update' || verb === 'prune') return [effect('host', 'talks to the remote')];
  // The remote's name is free afterwards for another address.
  return /^(?:set-url|remove|rm|rename)$/u.test(verb ?? '') ? [effect('host', LEADS_ELSEWHERE)] : [];
}

export function remoteNeeds({ operands: [verb, ...named] }: ParsedArguments): readonly string[] {
  if (verb === 'update') return ['git all'];
  if (verb === 'prune') return named.map((name) => `git fetch ${name ?? ''}`.trim());
  return verb === 'add' || verb === 'set-url' ? addressesAmong(named.slice(1)) : [];
}

/** An option’s value may stand among them: what can be no address is none. */
const addressesAmong = (operands: readonly (string | null)[]): readonly string[] =>
  operands.map((operand) => (operand === null ? '?' : `git address ${operand}`));

export function submoduleNeeds({ operands: [verb, ...named] }: ParsedArguments): readonly string[] {
  if (verb === 'add') return addressesAmong(named);
  if (verb === 'set-url') return addressesAmong(named.slice(1));
  return /^(?:update|sync|foreach)?$/u.test(verb ?? '') ? ['git submodules'] : [];
}

const HIDES = /^(?:assume-unchanged|skip-worktree|fsmonitor-valid)$/u;

export const hides = ({ options }: ParsedArguments): readonly Effect[] =>
  [...options.keys()].some((name) => HIDES.test(name))
    ? [effect('control-file', 'hides later changes of files from Git, and so from you')]
    : [];

/** Settings given on the command line that make Git say things otherwise, and do nothing else. */
const HARMLESS_SETTING =
  /^(?:color\.[\w.]+|advice\.[\w.]+|core\.(?:quotepath|autocrlf|safecrlf|ignorecase|abbrev|filemode|precomposeunicode)|user\.(?:name|email)|commit\.gpgsign|tag\.gpgsign|init\.defaultbranch|log\.(?:decorate|date|showsignature)|diff\.(?:renames|algorithm|context|noprefix|mnemonicprefix|renamelimit)|merge\.(?:conflictstyle|renamelimit|ff)|pull\.(?:rebase|ff)|status\.[\w.]+|gc\.auto|safe\.directory)=[\w.@ ,:/-]*$|^core\.pager=(?:cat)?$/iu;

export const isHarmlessSetting = (setting: string): boolean => HARMLESS_SETTING.test(setting);
