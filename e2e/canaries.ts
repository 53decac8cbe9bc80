import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A value that stands nowhere else, and is looked for everywhere. */
export const canary = (): string => `Kana9-${randomBytes(10).toString('hex')}`;

/** Where one stands, as it is or in base64, below the folder and in the app's temporary folders. */
export function placesOf(values: readonly string[], folder: string): readonly string[] {
  const temporary = [tmpdir(), process.env['XDG_RUNTIME_DIR'] ?? tmpdir()].flatMap((place) =>
    readdirSync(place)
      .filter((name) => name.startsWith('gatehouse-run-'))
      .map((name) => join(place, name)),
  );
  const forms = values.flatMap((value) => [
    value,
    Buffer.from(value).toString('base64').replace(/=+$/u, '').slice(0, -2),
  ]);
  return [folder, ...temporary].flatMap(filesBelow).flatMap((file) => {
    const bytes = contentOf(file);
    return forms.filter((form) => bytes.includes(form)).map((form) => `${form} in ${file}`);
  });
}

/** Of a file that is gone by now, nothing stands anywhere. */
function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch {
    return Buffer.alloc(0);
  }
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
