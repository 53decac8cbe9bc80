/**
 * Words of people who mean a tool that comes with Gatehouse, and that its description, which is for models, does not
 * use.
 */
export const BUILTIN_SYNONYMS: Readonly<Record<string, string>> = {
  'gatehouse.read_file':
    'Show, open or look at a file of this project: what the README says, source code, configuration, a document, a log.',
  'gatehouse.list_directory': 'Which files and folders are there: browse this project, its directory tree.',
  'gatehouse.write_file': 'Save, create or overwrite a file of this project with new text.',
  'gatehouse.apply_patch': 'Edit, change, fix or refactor source code in files of this project.',
  'gatehouse.run_command':
    'Shell or terminal: run tests, build, start a script or program, npm, git, install packages, search in files.',
};
