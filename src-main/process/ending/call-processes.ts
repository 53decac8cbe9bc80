import { carriesMark } from './call-mark.js';
import type { CommandGroup } from './command-group.js';
import { listProcesses, isAlive, type ProcessFacts, processFacts } from './proc-table.js';

/** The processes of one call: what descends from its leader, is in its session or groups, or carries its mark. */
export interface ProcessesOfCall {
  readonly leader: number;
  readonly mark: string;
  /**
   * When the leader was started, in the system's ticks. Nothing older is of this call: it can't descend from the leader, and
   * nobody enters a session or a group of another session from outside. Only the kernel's list may hold it.
   */
  readonly since: number;
  /**
   * Whether the command is confined. Then the leader's child and grandchild are bubblewrap itself: they end when all
   * else has.
   */
  readonly confined: boolean;
  /** The kernel's own list of them, where there is one. */
  readonly group: CommandGroup | null;
}

export interface CallProcesses {
  /** The processes that the command started. */
  readonly command: readonly ProcessFacts[];
  /** Bubblewrap's own two. */
  readonly wrappers: readonly ProcessFacts[];
  /** The supervisor, if it is alive. */
  readonly leader: ProcessFacts | null;
}

/** The limit of listings: somebody who starts processes without end must not keep us looking. */
const MAX_LISTINGS = 100;

/** `atSight` is told of each that carries a mark or is in the kernel's list, while the others are still looked for. */
export function findCallProcesses(call: ProcessesOfCall, atSight?: (facts: ProcessFacts) => void): CallProcesses {
  const members = new Set(call.group?.members());
  const known = new Set<number>();
  const meet = (facts: ProcessFacts): void => {
    if (!isAlive(facts) || isOurs(facts) || facts.pid === call.leader) return;
    if (!members.has(facts.pid) && !carriesMark(facts, call.mark)) return;
    known.add(facts.pid);
    atSight?.(facts);
  };
  const all = listProcesses({ atSight: meet, since: call.since, except: members }).filter((facts) => !isOurs(facts));
  // The kernel's list again, until nobody new is in it: who joined meanwhile may carry no mark.
  for (let round = 0; round < MAX_LISTINGS; round += 1) {
    const joined = (call.group?.members() ?? []).filter((pid) => !members.has(pid));
    if (joined.length === 0) break;
    for (const pid of joined) {
      members.add(pid);
      const facts = processFacts(pid);
      if (facts === null || isOurs(facts)) continue;
      meet(facts);
      if (!all.some((each) => each.pid === pid)) all.push(facts);
    }
  }
  const children = Map.groupBy(all, ({ parent }) => parent);
  const depth = new Map<number, number>([[call.leader, 0]]);
  for (const queue = [call.leader]; queue.length > 0;) {
    const parent = queue.shift() ?? 0;
    for (const { pid } of children.get(parent) ?? []) {
      if (depth.has(pid)) continue;
      depth.set(pid, (depth.get(parent) ?? 0) + 1);
      queue.push(pid);
    }
  }
  const mine = all.filter(
    (facts) =>
      isAlive(facts) &&
      (depth.has(facts.pid) || facts.session === call.leader || facts.group === call.leader || known.has(facts.pid)),
  );
  const isWrapper = ({ pid }: ProcessFacts): boolean => call.confined && [1, 2].includes(depth.get(pid) ?? 0);
  return {
    leader: mine.find(({ pid }) => pid === call.leader) ?? null,
    wrappers: mine.filter(isWrapper),
    command: mine.filter((facts) => facts.pid !== call.leader && !isWrapper(facts)),
  };
}

/**
 * Asks each once: the group as a whole, and each process that left it. Many programs take a second request for “at once,
 * whatever is lost”. The supervisor takes no notice of it. Confined, nothing of the command is in the group.
 */
export function askToEnd(call: ProcessesOfCall): number {
  const command = parentsFirst(findCallProcesses(call).command);
  if (!call.confined) signalGroup(call.leader, 'SIGTERM');
  for (const facts of command) if (call.confined || facts.group !== call.leader) signalProcess(facts, 'SIGTERM');
  // A stopped process acts on it only once it goes on.
  for (const facts of command) if (facts.state === 'T') signalProcess(facts, 'SIGCONT');
  return command.length;
}

/** A shell whose child has ended runs what comes next: it is asked before that child is. */
function parentsFirst(processes: readonly ProcessFacts[]): readonly ProcessFacts[] {
  const byPid = new Map(processes.map((facts) => [facts.pid, facts]));
  const generation = ({ parent }: ProcessFacts): number => {
    let above = 0;
    // Bounded: what was looked at one after another may name itself as its ancestor.
    for (let at = byPid.get(parent); at !== undefined && above < processes.length; at = byPid.get(at.parent))
      above += 1;
    return above;
  };
  const generations = new Map(processes.map((facts) => [facts.pid, generation(facts)]));
  return processes.toSorted((one, other) => (generations.get(one.pid) ?? 0) - (generations.get(other.pid) ?? 0));
}

/**
 * Ends all of them but the supervisor, which still has to say how the command ended. First everything is frozen, until
 * nothing new appears (a process that is not running can't start another), and only then killed. The group is frozen in
 * one act of the kernel, which no fork outruns; what left it is frozen one by one.
 */
export function killCommand(call: ProcessesOfCall): void {
  if (call.confined) {
    // The first process of the pid namespace takes all others with it, whatever they did.
    for (const facts of findCallProcesses(call).wrappers) signalProcess(facts, 'SIGKILL');
  }
  signalGroup(call.leader, 'SIGSTOP');
  const frozen = new Map<string, ProcessFacts>();
  for (let round = 0; round < FREEZE_ROUNDS; round += 1) {
    // At once on those that a group's signal does not reach: they may have handed themselves on a moment later.
    const { command } = findCallProcesses(call, (facts) => {
      if (facts.session !== call.leader && !call.confined) signalProcess(facts, 'SIGSTOP');
    });
    const fresh = command.filter((facts) => !frozen.has(processKey(facts)));
    if (fresh.length === 0) break;
    for (const facts of fresh) {
      signalProcess(facts, 'SIGSTOP');
      frozen.set(processKey(facts), facts);
    }
  }
  for (const facts of frozen.values()) signalProcess(facts, 'SIGKILL');
  const leader = processFacts(call.leader);
  if (leader !== null) signalProcess(leader, 'SIGCONT');
}

/** Ends the supervisor when the command has left nothing: it has done its part. */
export function endSupervisor(call: ProcessesOfCall): void {
  signalGroup(call.leader, 'SIGKILL');
}

/** Everything, the supervisor too. */
export function killAll(call: ProcessesOfCall): void {
  killCommand(call);
  call.group?.kill();
  signalGroup(call.leader, 'SIGKILL');
  const { leader, wrappers, command } = findCallProcesses(call);
  for (const facts of [...command, ...wrappers, ...(leader === null ? [] : [leader])]) signalProcess(facts, 'SIGKILL');
}

/** The app itself, and the system's first process, whatever somebody made of them. */
const isOurs = ({ pid }: ProcessFacts): boolean => pid === process.pid || pid <= 1;

export const isGone = (call: ProcessesOfCall): boolean => {
  const { command, wrappers, leader } = findCallProcesses(call);
  return command.length === 0 && wrappers.length === 0 && leader === null;
};

const FREEZE_ROUNDS = 50;
const processKey = (facts: ProcessFacts): string => `${facts.pid}:${facts.startTicks}`;

/** Only if it is still the same process. */
function signalProcess(facts: ProcessFacts, name: NodeJS.Signals): void {
  if (processFacts(facts.pid)?.startTicks !== facts.startTicks) return;
  try {
    process.kill(facts.pid, name);
  } catch {
    // The process ended meanwhile, which is what was wanted; whether all did is looked at afterwards.
  }
}

function signalGroup(leader: number, name: NodeJS.Signals): void {
  try {
    process.kill(-leader, name);
  } catch {
    // No such group any more.
  }
}
