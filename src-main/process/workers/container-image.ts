import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type WorkerPlan, WorkerProblem } from '../../domain/ports/sources/worker.js';
import { within } from '../confinement/home-folder.js';
import { type Engine, tell } from './engines.js';
import { buildImage, demandImage } from './image-building.js';

/** By what the worker’s image is called. Built where it was not yet, from what lies on this machine: nothing is fetched. */
export async function imageOf(engine: Engine, plan: WorkerPlan, signal: AbortSignal): Promise<string> {
  if (plan.runs.kind === 'image') {
    const { image, id } = plan.runs;
    if (id === null) {
      await demandImage(engine, image);
      throw new WorkerProblem(`The image ${image} came after the package was accepted. Accept the package with it.`);
    }
    if (!(await has(engine, id)))
      throw new WorkerProblem(
        `The image that was accepted as ${image} (${id}) is not on this machine any more. Get it again, or accept the one that is there now.`,
      );
    return id;
  }
  if (plan.runs.kind !== 'build') throw new WorkerProblem('It has no image.');
  const { folder, file, name: own, digest } = sourceOf(plan, plan.runs.folder);
  const name = `${NAMES}/${own}:${digest}`;
  if (await has(engine, name)) return name;
  await buildImage(engine, { folder, file, name, limits: plan.limits }, signal);
  return name;
}

/** What a worker is built from, and what that is called: another content is another. */
export function sourceOf(plan: WorkerPlan, inPackage: string) {
  const folder = realpathSync(join(plan.packageFolder, inPackage));
  if (!within(realpathSync(plan.packageFolder), folder))
    throw new WorkerProblem(`${inPackage} leads out of the package.`);
  const file = ['Containerfile', 'Dockerfile'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined) throw new WorkerProblem(`There is no Containerfile in ${inPackage}.`);
  return { folder, file, name: `${nameOf(plan.domainId)}-${nameOf(plan.worker)}`, digest: digestOf(folder) };
}

const NAMES = 'localhost/gatehouse';

/** Images and containers take few letters. */
export const nameOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '')
    .slice(0, 40) || 'worker';

const has = async (engine: Engine, image: string): Promise<boolean> => (await idOf(engine, image)) !== null;

/** Null where there is none of that name. */
export async function idOf(engine: Engine, image: string): Promise<string | null> {
  const { code, stdout } = await tell(engine, ['image', 'inspect', '--format', '{{.Id}}', image]);
  const id = stdout.trim().replace(/^sha256:/u, '');
  return code === 0 && /^[0-9a-f]{64}$/u.test(id) ? `sha256:${id}` : null;
}

/** Of all that an image is made of: another folder is another image. */
function digestOf(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string, name: string): void => {
    const facts = lstatSync(path);
    hash.update(`${name}\0${facts.mode}\0`);
    if (facts.isDirectory())
      for (const each of readdirSync(path).toSorted()) visit(join(path, each), `${name}/${each}`);
    else if (facts.isFile()) hash.update(`${facts.size}\0`).update(readFileSync(path));
  };
  visit(folder, '');
  return hash.digest('hex').slice(0, 24);
}
