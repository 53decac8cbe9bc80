import { parseSettingHeaders, type SettingHeaders } from '../../domain/outside/setting-headers.js';
import type { Outside } from '../../domain/ports/outside.js';
import { type Offer, type Source, type SourceOptions, SourceProblem } from '../../domain/ports/sources/source.js';
import { Listeners } from '../../platform/listeners.js';

/** What sources have in common whose tools stand in a text, whatever describes them there: nothing of them runs here. */
export abstract class DescribedSource<Known extends { readonly text: string; readonly offer: Offer }> {
  readonly name: string;
  protected readonly made: SourceOptions;
  protected readonly outside: Outside;
  protected readonly headers: SettingHeaders;
  protected readonly listeners = new Listeners();
  /** As the text that was read last says. */
  protected known: Known | null = null;
  #problem: string | null = null;

  constructor(made: SourceOptions, outside: Outside) {
    this.made = made;
    this.outside = outside;
    this.name = made.name;
    this.headers = parseSettingHeaders(made.name, made.settings.headers);
  }

  protected abstract look(signal: AbortSignal): Promise<Known>;

  async offer(signal: AbortSignal): Promise<Offer> {
    try {
      const { offer } = await this.look(signal);
      this.#became(null);
      return offer;
    } catch (error) {
      const problem =
        error instanceof SourceProblem
          ? error
          : new SourceProblem('failed', error instanceof Error ? error.message : '');
      this.#became(problem.message);
      throw problem;
    }
  }

  state(): ReturnType<Source['state']> {
    const running = this.#problem !== null ? 'failed' : this.known === null ? 'unknown' : 'running';
    return { running, problem: this.#problem, complaints: '', confinement: null };
  }

  onChange(listener: () => void): () => void {
    return this.listeners.add(listener);
  }

  #became(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.listeners.tell();
  }
}
