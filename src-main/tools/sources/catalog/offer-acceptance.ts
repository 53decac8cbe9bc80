import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { SourceConfig } from '#contract/vocabulary/tools/sources.js';
import type { SourceReview } from '#contract/window/tools/sources.js';
import { type AcceptanceState, NOT_PINNED, type Offer, type Source } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { digestJson } from '../../../platform/digest.js';
import { admitOffer, isWanted, type OfferedTools } from './offered-tools.js';
import {
  acceptFirstSeen,
  type AcceptedSource,
  type AcceptedTool,
  acceptTools,
  addSeenFiles,
  buildReview,
  type CurrentOffer,
  isOtherServer,
  type IsWritablePath,
  markAllRead,
  toServerJson,
} from './source-acceptance.js';

export interface OfferAcceptanceDeps {
  readonly name: string;
  readonly settings: SourceConfig;
  readonly source: Source;
  readonly accepted: AcceptedSource;
  readonly rules: () => { readonly maxVersions: number; readonly warningDays: number; readonly now: number };
  /** Kept before anything of it counts. Throws where it can't be. */
  readonly keep: (accepted: AcceptedSource) => void;
  readonly mayBeWritten: IsWritablePath;
  readonly onChange: () => void;
}

/** A tool that was accepted, as it stands now. */
export interface AcceptedToolState {
  readonly accepted: AcceptedTool;
  /** The digest of the server and the tool together, as they were accepted. */
  readonly digest: string;
  readonly stopped: Failure | null;
}

/** An offer whose tools were looked through, with the server that made it. */
type AdmittedOffer = CurrentOffer & OfferedTools;

/** What a source offers, and what of that was accepted: the one place where both are held and compared. */
export class OfferAcceptance {
  readonly #parts: OfferAcceptanceDeps;
  #accepted: AcceptedSource;
  #offer: Offer | null = null;
  #offered: AdmittedOffer | null = null;
  /** A newer version of what it is started from, which was fetched and waits for the person’s yes; the other goes on until then. */
  #update: AdmittedOffer | null = null;
  /**
   * The offer of a source that could not be asked without its keys, or was only fetched: it says what it offers after a
   * yes to what it is.
   */
  #identityOffer: AdmittedOffer | null = null;

  constructor(parts: OfferAcceptanceDeps) {
    this.#parts = parts;
    this.#accepted = parts.accepted;
  }

  get accepted(): AcceptedSource {
    return this.#accepted;
  }

  /** Null as long as it was not asked. */
  get offered(): AdmittedOffer | null {
    return this.#offered;
  }

  /** Whether a newer version waits for the person’s yes. */
  get hasUpdate(): boolean {
    return this.#update !== null;
  }

  /** Whether it is accepted by what it is, before it says what it offers. */
  get isByIdentity(): boolean {
    return this.#identityOffer !== null;
  }

  /** The offer that the person reviews. */
  get reviewed(): AdmittedOffer | null {
    return this.#update ?? this.#identityOffer ?? this.#offered;
  }

  get isOtherServer(): boolean {
    return isOtherServer(this.#accepted.server, this.#parts.source.identity, this.#offered, this.#parts.mayBeWritten);
  }

  /** Where nobody said yes to what it is now, it may be asked what it offers, and no more. */
  get startPurpose(): AcceptanceState {
    const { identity } = this.#parts.source;
    const { server } = this.#accepted;
    if (server === null) return identity[NOT_PINNED] === undefined ? 'new' : 'looked-at';
    return isOtherServer(server, identity, null, this.#parts.mayBeWritten) ? 'looked-at' : 'accepted';
  }

  /** The accepted tools, as far as they are not known to be gone and the settings still want them. */
  get standing(): readonly AcceptedToolState[] {
    const { server, tools } = this.#accepted;
    const isOther = this.isOtherServer;
    const offered = this.#offered === null ? null : new Map(this.#offered.tools.map((tool) => [tool.key, tool]));
    return [...tools.values()].flatMap((accepted) => {
      // The source may not have been asked yet since the settings changed.
      if (!isWanted(accepted.operation.operation, this.#parts.settings)) return [];
      const now = offered?.get(accepted.key);
      if (offered !== null && now === undefined) return [];
      const isChanged = isOther || (now !== undefined && now.digest !== accepted.digest);
      const digest = digestJson({ server: server === null ? null : toServerJson(server), tool: accepted.digest });
      return [{ accepted, digest, stopped: isChanged ? this.changeFailure(accepted) : null }];
    });
  }

  /** Offered, and never accepted. */
  get waiting(): OfferedTools['tools'] {
    return (this.#offered?.tools ?? []).filter(({ key }) => !this.#accepted.tools.has(key));
  }

  review(nameOf: (toolId: string) => string | null): Omit<SourceReview, 'isStarted'> | null {
    const { name, mayBeWritten } = this.#parts;
    return this.reviewed === null ? null : buildReview(name, this.#accepted, this.reviewed, nameOf, mayBeWritten);
  }

  /** The person looks at its tools. */
  markRead(): void {
    const read = markAllRead(this.#accepted);
    if (read !== null) this.#save(read);
  }

  /** Takes what it offers now. `isAnew`: it could not be had before. */
  record(offer: Offer, isAnew: boolean): void {
    if (this.#offer === offer && !isAnew) return;
    this.#offer = offer;
    this.#offered = this.#admit(this.#parts.source, offer);
    const { mayBeWritten, settings, source } = this.#parts;
    const asked = { kind: source.kind, mayBeWritten };
    const seen =
      settings.definitions === 'first' ? acceptFirstSeen(this.#accepted, this.#offered, asked) : this.#accepted;
    const filesSeen = isOtherServer(seen.server, source.identity, this.#offered, mayBeWritten)
      ? null
      : addSeenFiles(seen, this.#offered.server.identity);
    if (seen === this.#accepted && filesSeen === null) this.#parts.onChange();
    else this.#save(filesSeen ?? seen);
  }

  /** Forgets what it offered as another than it is now: that is nothing that could be accepted. */
  forgetOther(): void {
    if (this.#offered === null) return;
    if (digestJson(this.#offered.server.identity) === digestJson(this.#parts.source.identity)) return;
    this.#offered = null;
    this.#offer = null;
  }

  /** Takes what it is in place of what it offers, and why nothing more is known; null where it said what it offers. */
  offerIdentity(why: string | null): void {
    this.#identityOffer = why === null ? null : this.#admitIdentity(this.#parts.source, why);
  }

  /** Takes the offer of the newer version; a text says why only what it is is known. */
  offerUpdate(from: Source, offer: Offer | string): void {
    this.#update = typeof offer === 'string' ? this.#admitIdentity(from, offer) : this.#admit(from, offer);
  }

  /**
   * Takes the person's yes to the reviewed offer, or to these tools of it. Gives the tools that were accepted otherwise before, and
   * whether it did not say what it offers.
   */
  accept(shown: AdmittedOffer, keys: ReadonlySet<string> | null): AcceptedChange {
    const before = this.#accepted;
    const { mayBeWritten } = this.#parts;
    const isOther = isOtherServer(before.server, shown.server.identity, shown, mayBeWritten);
    const wasUntold = this.#identityOffer !== null || (this.#update !== null && this.#update.tools.length === 0);
    const all = keys ?? new Set(shown.tools.map(({ key }) => key));
    if (this.#update !== null) this.#takeUpdate(this.#update);
    this.#identityOffer = null;
    this.#save(acceptTools(before, shown, all, mayBeWritten));
    const otherwise = [...before.tools.values()].filter((tool) => {
      const now = this.#accepted.tools.get(tool.key);
      return isOther || (now !== undefined && now.digest !== tool.digest);
    });
    return { otherwise, wasUntold };
  }

  /** Throws where the tool is offered otherwise than it was accepted. */
  assertAccepted(tool: AcceptedTool): void {
    const now = this.#offered?.tools.find(({ key }) => key === tool.key);
    if (this.isOtherServer || now?.digest !== tool.digest) throw new ToolFailure(this.changeFailure(tool));
  }

  /** By its id: what an operation calls itself may be a sentence that nobody read. */
  changeFailure({ toolId }: Pick<AcceptedTool, 'toolId'>): Failure {
    return this.isOtherServer
      ? this.otherServerFailure
      : toolChangedFailure(`“${toolId}” of “${this.#parts.name}” is not as the user accepted it.`);
  }

  get otherServerFailure(): Failure {
    return toolChangedFailure(`The source “${this.#parts.name}” is not the server that the user accepted.`);
  }

  /**
   * Takes the newer version before it is on record as accepted: where recording fails it is another server than was
   * accepted, and nothing of it is called.
   */
  #takeUpdate(coming: AdmittedOffer): void {
    this.#update = null;
    this.#parts.source.package?.takeNewer();
    this.#offer = null;
    this.#offered = coming;
  }

  #admitIdentity(from: Source, why: string): AdmittedOffer {
    const nothing = { ownName: this.#accepted.server?.ownName ?? null, operations: [], refused: [] };
    return { ...this.#admit(from, nothing), remarks: [why] };
  }

  #admit(from: Source, offer: Offer): AdmittedOffer {
    const { name: source, settings, rules } = this.#parts;
    return {
      server: { identity: from.identity, ownName: offer.ownName },
      ...admitOffer(offer, { source, settings, ...rules() }),
    };
  }

  #save(accepted: AcceptedSource): void {
    this.#parts.keep(accepted);
    this.#accepted = accepted;
    this.#parts.onChange();
  }
}

interface AcceptedChange {
  readonly otherwise: readonly AcceptedTool[];
  readonly wasUntold: boolean;
}

const toolChangedFailure = (what: string): Failure => ({
  code: 'ToolChanged',
  message: `${what} They can look at the change and accept it in Gatehouse, under Tools.`,
});
