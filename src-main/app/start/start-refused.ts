/** Thrown where the arguments of the start can't be used: said on stderr, with exit code 2. */
export class StartRefused extends Error {
  readonly lines: readonly string[];
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'StartRefused';
    this.lines = lines;
  }
}
