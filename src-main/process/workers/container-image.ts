import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import Type from 'typebox';
import { type WorkerPlan, WorkerProblem } from '../../domain/ports/sources/worker.js';
import { isWithin } from '../confinement/home-folder.js';
import { type ContainerEngine, runEngine } from './engines.js';
import { keptJson } from '../../platform/files/kept-json.js';
import { digestJson } from '../../platform/digest.js';
import { buildImage, requireImage, parseImageId, IMAGE_ID } from './image-building.js';

/** The ids of the built images, by engine and name. */
const BuiltImagesSchema = Type.Record(Type.String(), Type.String({ pattern: IMAGE_ID.source }));

interface ImageWanted {
  readonly engine: ContainerEngine;
  readonly plan: WorkerPlan;
  /** Where the ids of what was built are kept. */
  readonly built: string;
}

/**
 * Finds the image of a worker by its id, which no other image has. Built where it was not yet, from what lies on this
 * machine: nothing is fetched.
 */
export async function findOrBuildImage({ engine, plan, built }: ImageWanted, signal: AbortSignal): Promise<string> {
  const { runs } = plan;
  if (runs.kind === 'image') {
    const id = await acceptedId(engine, runs.image, runs.id);
    if (await hasImage(engine, id)) return id;
    throw new WorkerProblem(
      `The image that was accepted as ${runs.image} (${id}) is not on this machine any more. Get it again, or accept the one that is there now.`,
    );
  }
  if (runs.kind !== 'build') throw new WorkerProblem('It has no image.');
  const { folder, file, name: own, digest } = findBuildSource(plan, runs.folder);
  // On another base, what is built is another.
  const name = `${NAMES}/${own}:${digestJson({ digest, bases: runs.bases }).slice(0, 24)}`;
  const images = keptJson(built, BuiltImagesSchema);
  const known = images.read()?.[`${engine.by} ${name}`];
  if (known !== undefined && (await hasImage(engine, known))) return known;
  const demandBases = async (): Promise<void> => {
    for (const [base, id] of Object.entries(runs.bases))
      if ((await readImageId(engine, base)) !== (await acceptedId(engine, base, id)))
        throw new WorkerProblem(
          `It is built on ${base}, which is another image by now than the one that was accepted (${id}). Accept the package with it.`,
        );
  };
  await demandBases();
  const bases = Object.keys(runs.bases);
  const id = await buildImage(engine, { folder, file, name, bases, limits: plan.limits }, signal);
  // The engine takes them by name: what they stood for while it was built is what they stand for now.
  await demandBases();
  images.write({ ...images.read(), [`${engine.by} ${name}`]: id });
  return id;
}

async function acceptedId(engine: ContainerEngine, image: string, id: string | null): Promise<string> {
  if (id !== null) return id;
  await requireImage(engine, image);
  throw new WorkerProblem(`The image ${image} came after the package was accepted. Accept the package with it.`);
}

/** The source that a worker is built from, and its name: another content has another. */
function findBuildSource(plan: WorkerPlan, inPackage: string) {
  const folder = realpathSync(join(plan.packageFolder, inPackage));
  if (!isWithin(realpathSync(plan.packageFolder), folder))
    throw new WorkerProblem(`${inPackage} leads out of the package.`);
  const file = ['Containerfile', 'Dockerfile'].map((name) => join(folder, name)).find((path) => existsSync(path));
  if (file === undefined) throw new WorkerProblem(`There is no Containerfile in ${inPackage}.`);
  return {
    folder,
    file,
    name: `${containerName(plan.domainId)}-${containerName(plan.worker)}`,
    digest: digestOfFolder(folder),
  };
}

const NAMES = 'localhost/gatehouse';

/** Images and containers take few letters. */
export const containerName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, '-')
    .replace(/^-|-$/gu, '')
    .slice(0, 40) || 'worker';

const hasImage = async (engine: ContainerEngine, image: string): Promise<boolean> =>
  (await readImageId(engine, image)) !== null;

/** Null where there is none of that name. */
export async function readImageId(engine: ContainerEngine, image: string): Promise<string | null> {
  const { code, stdout } = await runEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', image]);
  return code === 0 ? parseImageId(stdout) : null;
}

/** The digest of all that an image is made of: another folder is another image. */
function digestOfFolder(folder: string): string {
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
