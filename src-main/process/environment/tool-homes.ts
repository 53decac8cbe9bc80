import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The tools that look for their own data below the home folder, and would not find it where a program has another home.
 */
const PLACES: Readonly<Record<string, string>> = {
  ASDF_DATA_DIR: '.asdf',
  MISE_DATA_DIR: '.local/share/mise',
  NODENV_ROOT: '.nodenv',
  PYENV_ROOT: '.pyenv',
  PYTHONUSERBASE: '.local',
  RBENV_ROOT: '.rbenv',
  RUSTUP_HOME: '.rustup',
  UV_PYTHON_INSTALL_DIR: '.local/share/uv/python',
  VOLTA_HOME: '.volta',
};

/** Where tool chains of the person's home are, for a program whose home is another folder. */
export const toolHomes = (home: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(PLACES)
      .map(([name, place]) => [name, join(home, place)] as const)
      .filter(([, path]) => existsSync(path)),
  );
