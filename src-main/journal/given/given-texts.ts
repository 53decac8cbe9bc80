import type { Database } from 'better-sqlite3';
import type { Door } from '#contract/vocabulary/calls.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { Asker } from '../../domain/call/asker.js';
import type { JournalEvent, SettledEvent } from '../../domain/call/journal-events.js';
import {
  GIVEN_FOR_MS,
  type GivenText,
  findReceiver,
  type AttributedText,
  addGivenText,
  type FileContent,
  WHOLE_FOLDER,
} from '../../domain/policy/given-texts.js';
import type { Clock } from '../../domain/ports/clock.js';
import { StillSent } from './still-sent.js';
import type { GivenTextLog } from '../../domain/ports/given-text-log.js';

type GivenTextFact = Extract<
  JournalEvent,
  { type: 'text-given' | 'texts-forgotten' | 'folder-trusted' | 'files-looked-through' }
>;
type ForgottenFact = Extract<GivenTextFact, { type: 'texts-forgotten' }>;

interface SaidRow {
  readonly said: string | null;
  readonly executingSince: number | null;
  readonly nature: Nature | null;
  readonly summary: string;
  readonly redactions: number;
  readonly workspace: string;
}

interface GivenTextRow {
  readonly givenTo: string;
  readonly workspace: string;
  readonly texts: string;
}

/** The caller, as the batch of a call has it. */
interface GivenTextCaller {
  readonly door: Door;
  readonly agent: string | null;
  readonly sessionId: string;
  readonly workspace: string;
}

/** The texts that one caller was given in a folder, and that still count. */
export interface GivenInFolder {
  readonly to: string;
  readonly workspace: string;
  readonly texts: readonly GivenText[];
}

/** Keeps the texts that models were given: the fold of what is recorded of them, kept with it in one transaction. */
export class GivenTexts implements GivenTextLog {
  readonly #clock: Clock;
  readonly stillSent: StillSent;
  readonly #statements: ReturnType<typeof prepare>;

  constructor(db: Database, clock: Clock) {
    this.#clock = clock;
    this.stillSent = new StillSent(db);
    this.#statements = prepare(db);
  }

  listGivenTo(asker: Asker, workspace: string): readonly GivenText[] {
    const to = findReceiver(asker);
    if (to === null) return [];
    const now = this.#clock.now();
    const elsewhere = this.#statements.elsewhere
      .all(to, workspace, now - GIVEN_FOR_MS)
      .flatMap(({ texts }) => JSON.parse(texts) as readonly GivenText[])
      // An asker that works in several folders by one session has read the texts of all of them.
      .filter(({ session }) => session === asker.session)
      // Counted at every border: how many it had heard here says nothing of these.
      .map((text) => ({ ...text, ofFolder: false, session: OTHER_SESSION }));
    const here = this.#texts(to, workspace, now);
    // What is sent anew with each request counts, however long ago it was given.
    const sent = asker.door === 'conversation' ? this.stillSent.of(asker.session) : [];
    const before = sent.filter(
      (text) => !here.some(({ name, origin }) => name === text.name && origin === text.origin),
    );
    return [...before, ...elsewhere, ...here].reduce<readonly GivenText[]>(addGivenText, []);
  }

  findSaidText(callId: string): { readonly text: AttributedText; readonly workspace: string } | null {
    const row = this.#statements.said.get(callId);
    if (row === undefined || row.said === '' || row.executingSince === null || row.nature === 'files') return null;
    const { summary, nature, redactions, said, workspace } = row;
    const text =
      said === null ? assumeWorstText({ summary, nature, redactions }) : (JSON.parse(said) as AttributedText);
    return { text, workspace };
  }

  /** Notes the foreign files that a call left in its folder, and what they hold: that is so wherever it stands. */
  wrote({ callId, wroteForeign = [] }: Pick<SettledEvent, 'callId' | 'wroteForeign'>, workspace: string): void {
    for (const { path, content } of wroteForeign) {
      const { size = null, sha256 = null } = content === null ? {} : { ...content, sha256: content.sha256 ?? UNREAD };
      this.#statements.wrote.run(workspace, path, callId, size, sha256);
      if (size !== null && sha256 !== null) this.#statements.holds.run(size, sha256);
    }
  }

  hasWrittenForeign(workspace: string, paths: readonly string[]): boolean {
    return paths.some((path) =>
      listNames(workspace, path).some(
        ([root, name]) => this.#statements.isForeign.get(root, name, `${name}/`) !== undefined,
      ),
    );
  }

  isForeignContent({ size, sha256 }: FileContent): boolean {
    return this.#statements.contents
      .all(size)
      .some((known) => sha256 === null || known.sha256 === sha256 || known.sha256 === UNREAD);
  }

  hasForeignSize(size: number): boolean {
    return this.#statements.contents.get(size) !== undefined;
  }

  /**
   * Files of a folder that the person may still look through. A folder ends with “/”, by its name or all that is in it, and is
   * “/” where it is this one.
   */
  foreignIn(workspace: string): readonly string[] {
    const found = this.#statements.foreign
      .all()
      .map((each) => (each.path === WHOLE_FOLDER ? `${each.workspace}/` : `${each.workspace}/${each.path}`));
    return [...new Set(found)]
      .filter((path) => path.startsWith(`${workspace}/`))
      .map((path) => (path === `${workspace}/` ? WHOLE_FOLDER : path.slice(workspace.length + 1)));
  }

  isTrusted(workspace: string): boolean {
    return this.#statements.isTrusted.get(workspace) !== undefined;
  }

  get trusted(): readonly string[] {
    return this.#statements.trusted.all().map(({ workspace }) => workspace);
  }

  all(): readonly GivenInFolder[] {
    return this.#statements.all.all(this.#clock.now() - GIVEN_FOR_MS).map(({ givenTo: to, workspace, texts }) => ({
      to,
      workspace,
      texts: JSON.parse(texts) as readonly GivenText[],
    }));
  }

  /** A call comes: what counts goes on counting from now. Gives what a day without one has ended. */
  called({ workspace, ...asker }: GivenTextCaller, at: number): readonly ForgottenFact[] {
    const over = this.#statements.forgetOld.all(at - GIVEN_FOR_MS).map((row): ForgottenFact => ({
      type: 'texts-forgotten',
      to: row.givenTo,
      workspace: row.workspace,
      by: 'time',
    }));
    const to = findReceiver({ ...asker, session: asker.sessionId });
    if (to !== null) this.#statements.touch.run(at, to, workspace);
    return over;
  }

  apply(fact: GivenTextFact, at: number): void {
    switch (fact.type) {
      case 'text-given': {
        const texts = addGivenText(this.#texts(fact.to, fact.workspace, at), fact.text);
        this.#statements.save.run(fact.to, fact.workspace, JSON.stringify(texts), at);
        return;
      }
      case 'texts-forgotten':
        this.#statements.forget.run(fact.to, fact.workspace);
        return;
      case 'files-looked-through':
        for (const path of fact.paths) {
          if (path === WHOLE_FOLDER) this.#looked(fact.workspace, WHOLE_FOLDER);
          else if (path.endsWith('/')) this.#looked(`${fact.workspace}/${path.slice(0, -1)}`, WHOLE_FOLDER);
          if (path !== WHOLE_FOLDER) for (const each of listNames(fact.workspace, path)) this.#looked(...each);
        }
        return;
      case 'folder-trusted':
        (fact.trusted ? this.#statements.trust : this.#statements.distrust).run(fact.workspace);
    }
  }

  /** What stood there last is what the person saw, in this file and in its copies. */
  #looked(workspace: string, path: string): void {
    this.#statements.lookedAtContent.run(workspace, path);
    this.#statements.looked.run(workspace, path);
  }

  #texts(to: string, workspace: string, now: number): readonly GivenText[] {
    const row = this.#statements.find.get(to, workspace, now - GIVEN_FOR_MS);
    return row === undefined ? [] : (JSON.parse(row.texts) as readonly GivenText[]);
  }
}

/** The text of a call that still runs, that a crash broke off, or that is from before: the worst that it can be. */
const assumeWorstText = ({
  summary,
  nature,
  redactions,
}: Pick<SaidRow, 'summary' | 'nature' | 'redactions'>): AttributedText => ({
  name: toVisibleLine(summary, MAX_NAME_LENGTH),
  origin: nature === 'remote' ? 'upstream' : nature === 'reads' ? 'file' : 'tool',
  ofFolder: false,
  isPrivate: redactions > 0 || nature === 'remote',
});

const MAX_NAME_LENGTH = 120;
/** A file by each folder that it may have been written in: folders lie in one another. */
function listNames(workspace: string, path: string): readonly (readonly [string, string])[] {
  const names = `${workspace}/${path}`.split('/');
  return names.slice(1).map((_, at) => [names.slice(0, at + 1).join('/'), names.slice(at + 1).join('/')]);
}

/** The digest of what is known by its size alone. */
const UNREAD = '';
/** The session that means any other. No session has that name. */
const OTHER_SESSION = 'elsewhere';

const prepare = (db: Database) => ({
  said: db.prepare<[string], SaidRow>(
    `SELECT c.said, c.executingSince, c.nature, c.summary, c.redactions, b.workspace
     FROM calls c JOIN batches b ON b.id = c.batch WHERE c.callId = ?`,
  ),
  find: db.prepare<[string, string, number], GivenTextRow>(
    'SELECT * FROM given_texts WHERE givenTo = ? AND workspace = ? AND calledAt > ?',
  ),
  elsewhere: db.prepare<[string, string, number], GivenTextRow>(
    'SELECT * FROM given_texts WHERE givenTo = ? AND workspace <> ? AND calledAt > ? ORDER BY workspace',
  ),
  wrote: db.prepare<[string, string, string, number | null, string | null]>(
    'INSERT OR REPLACE INTO foreign_files (workspace, path, callId, size, sha256) VALUES (?, ?, ?, ?, ?)',
  ),
  holds: db.prepare<[number, string]>('INSERT OR IGNORE INTO foreign_contents (size, sha256) VALUES (?, ?)'),
  contents: db.prepare<[number], { readonly sha256: string }>('SELECT sha256 FROM foreign_contents WHERE size = ?'),
  lookedAtContent: db.prepare<[string, string]>(
    `DELETE FROM foreign_contents WHERE (size, sha256) IN
       (SELECT size, sha256 FROM foreign_files WHERE workspace = ? AND path = ?)`,
  ),
  looked: db.prepare<[string, string]>('DELETE FROM foreign_files WHERE workspace = ? AND path = ?'),
  isForeign: db.prepare<[string, string, string]>(
    "SELECT 1 FROM foreign_files WHERE workspace = ? AND path IN (?, ?, '/')",
  ),
  foreign: db.prepare<[], { readonly workspace: string; readonly path: string }>(
    'SELECT workspace, path FROM foreign_files ORDER BY path',
  ),
  all: db.prepare<[number], GivenTextRow>('SELECT * FROM given_texts WHERE calledAt > ? ORDER BY givenTo, workspace'),
  save: db.prepare<[string, string, string, number]>(
    `INSERT INTO given_texts (givenTo, workspace, texts, calledAt) VALUES (?, ?, ?, ?)
     ON CONFLICT (givenTo, workspace) DO UPDATE SET texts = excluded.texts, calledAt = excluded.calledAt`,
  ),
  touch: db.prepare<[number, string, string]>(
    'UPDATE given_texts SET calledAt = ? WHERE givenTo = ? AND workspace = ?',
  ),
  forget: db.prepare<[string, string]>('DELETE FROM given_texts WHERE givenTo = ? AND workspace = ?'),
  forgetOld: db.prepare<[number], GivenTextRow>('DELETE FROM given_texts WHERE calledAt <= ? RETURNING *'),
  isTrusted: db.prepare<[string], GivenTextRow>('SELECT * FROM trusted_folders WHERE workspace = ?'),
  trusted: db.prepare<[], GivenTextRow>('SELECT * FROM trusted_folders ORDER BY workspace'),
  trust: db.prepare<[string]>('INSERT OR IGNORE INTO trusted_folders (workspace) VALUES (?)'),
  distrust: db.prepare<[string]>('DELETE FROM trusted_folders WHERE workspace = ?'),
});
