import type { RefusedOperation } from '../../../domain/ports/sources/source.js';
import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import type { SourceKind, SourceSettings, SourceStage, SourceStateName } from '#contract/vocabulary/tools/sources.js';
import type { SourceDetail, SourceToolView, SourceView } from '#contract/window/tools/sources.js';
import { sanitize } from '../../../domain/text/sanitize.js';
import type { TermsSituation } from '../../../domain/tool/terms.js';
import type { ConfiguredSource } from './source-catalog.js';
import type { AcceptedTool } from './source-acceptance.js';
import type { FollowedSource } from './followed-source.js';
import type { OfferedTool } from './offered-tools.js';

/** A source that can't be there because of its settings. */
export interface MisconfiguredSource {
  readonly name: string;
  readonly kind: SourceKind | null;
  readonly file: string;
  readonly line: number | null;
  readonly reason: string;
}

export interface CallCounts {
  readonly calls: number;
  readonly failures: number;
}

const NOTHING_COUNTED = { tools: 0, waiting: 0, changed: 0, refused: 0 } as const;

export function toSourceView(
  { name, settings, followed, refused }: ConfiguredSource,
  situation: TermsSituation,
  today: CallCounts,
  movedAddress: string | null,
): SourceView {
  const state = followed?.source.state() ?? null;
  return {
    name,
    kind: settings.kind,
    enabled: settings.enabled ?? true,
    state: refused !== null ? 'refused' : (followed?.state ?? 'stopped'),
    stage: refused === null ? (followed?.stage ?? null) : null,
    problem: refused ?? followed?.problem ?? null,
    isRunning: state?.running === 'running',
    counts: followed?.counts ?? NOTHING_COUNTED,
    callsToday: today.calls,
    failuresToday: today.failures,
    sendsTo: followed === null ? readSettingHosts(settings) : listHosts(followed, situation),
    confinement: state?.confinement ?? null,
    secrets: readSettingSecrets(settings),
    settings,
    remarks: followed?.remarks ?? [],
    package: toPackageView(followed),
    signIn: followed?.source.signIn?.state ?? null,
    movedAddress,
  };
}

export const toMisconfiguredView = ({ name, kind, file, line, reason }: MisconfiguredSource): SourceView => ({
  name,
  kind,
  enabled: false,
  state: 'refused',
  stage: null,
  problem: `${file}${line === null ? '' : `, line ${line}`}: ${reason}`,
  isRunning: false,
  counts: NOTHING_COUNTED,
  callsToday: 0,
  failuresToday: 0,
  sendsTo: [],
  confinement: null,
  secrets: [],
  settings: null,
  remarks: [],
  package: null,
  signIn: null,
  movedAddress: null,
});

export const toSourceDetail = (
  source: ConfiguredSource,
  view: SourceView,
  nameOf: (toolId: string) => string | null,
  home: SourceDetail['home'],
): SourceDetail => ({
  ...view,
  tools: source.followed === null ? [] : toToolViews(source.followed, nameOf),
  home,
  stderr: sanitize(source.followed?.source.state().complaints ?? '').text,
});

function toToolViews(followed: FollowedSource, nameOf: (toolId: string) => string | null): readonly SourceToolView[] {
  const view = (tool: AcceptedTool | OfferedTool, state: SourceToolView['state']): SourceToolView => ({
    operation: tool.operation.operation,
    toolId: tool.key,
    name: nameOf(tool.toolId),
    version: tool.operation.version,
    title: tool.operation.title,
    description: tool.operation.description,
    inputSchema: isJsonObject(tool.operation.inputSchema) ? tool.operation.inputSchema : null,
    state,
    reason: null,
    file: null,
    line: null,
    lifecycle: tool.lifecycle,
    remarks: tool.remarks,
  });
  return [
    ...followed.standing.map(({ accepted, stopped }) => view(accepted, stopped === null ? 'accepted' : 'changed')),
    ...followed.waiting.map((tool) => view(tool, 'new')),
    ...(followed.offered?.refused ?? []).map(toRefusedView),
  ];
}

function toPackageView(followed: FollowedSource | null): SourceView['package'] {
  const its = followed?.source.package ?? null;
  if (its === null) return null;
  // What was fetched waits for a yes, and is not offered once more.
  const newer = followed?.hasUpdate === true ? null : its.newer;
  return { name: its.name, version: its.version, newer };
}

const toRefusedView = ({ what, file, line, reason, eCode }: RefusedOperation): SourceToolView => ({
  operation: what,
  toolId: null,
  name: null,
  version: null,
  title: what,
  description: '',
  inputSchema: null,
  state: 'refused',
  reason: eCode === null ? reason : `${reason} (${eCode})`,
  file,
  line,
  lifecycle: 'active',
  remarks: [],
});

/** Hosts that the source's known operations send to; before any is known, the host of its address. */
function listHosts(followed: FollowedSource, situation: TermsSituation): readonly string[] {
  const operations = [...followed.standing.map(({ accepted }) => accepted), ...followed.waiting];
  const terms = operations.map(({ operation }) => followed.source.termsFor(situation, operation));
  const hosts = terms.flatMap(({ process, network }) => (process === null ? network.hosts : []));
  return operations.length === 0 ? readSettingHosts(followed.settings) : [...new Set(hosts)];
}

const readSettingHosts = ({ url, base_url: base }: SourceSettings): readonly string[] =>
  [base ?? url ?? ''].flatMap((address) => URL.parse(address)?.host ?? []);

function readSettingSecrets(settings: SourceSettings): readonly string[] {
  const values = [settings.env, settings.headers, settings.credentials].flatMap((table) => Object.values(table ?? {}));
  return [
    ...new Set(values.flatMap((value) => [...value.matchAll(/\bsecret:([\w.:-]+)/gu)].map(([, name = '']) => name))),
  ];
}

/** `GET /v1/sources`. */
export interface WireSource {
  readonly name: string;
  readonly kind: SourceKind | null;
  readonly state: SourceStateName;
  /** Where it is starting; left out else. */
  readonly stage?: SourceStage;
  readonly tools: number;
  /** The problem and what to do about it; null where there is none. */
  readonly problem: string | null;
  readonly refused: readonly Json[];
}

export function toWireSource({ name, settings, followed, refused }: ConfiguredSource): WireSource {
  const whole = refused ?? (followed?.state === 'refused' ? followed.problem : null);
  const stage = refused === null ? (followed?.stage ?? null) : null;
  return {
    name,
    kind: settings.kind,
    state: refused !== null ? 'refused' : (followed?.state ?? 'stopped'),
    ...(stage === null ? {} : { stage }),
    tools: followed?.counts.tools ?? 0,
    problem: refused ?? followed?.problem ?? null,
    refused: [
      ...(whole === null ? [] : [{ what: name, file: null, line: null, e_code: null, reason: whole }]),
      ...(followed?.offered?.refused ?? []).map(({ eCode, ...what }) => ({ ...what, e_code: eCode })),
    ],
  };
}

export const toMisconfiguredWireSource = ({ name, kind, file, line, reason }: MisconfiguredSource): WireSource => ({
  name,
  kind,
  state: 'refused',
  tools: 0,
  problem: reason,
  refused: [{ what: name, file, line, e_code: null, reason }],
});
