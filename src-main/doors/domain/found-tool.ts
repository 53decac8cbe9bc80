import type { ServedDomain, ServedTool } from '../../domain/ports/sources/domain.js';
import { isToolId } from '../../domain/tool/tool-identity.js';
import { errorAnswer } from '../http/route.js';

export const noDomain = errorAnswer(
  404,
  'NoDomain',
  'No domain package is loaded. Start Gatehouse with --domain <folder>, or name one in its settings.',
);

/** Null where the domain has none by this id. */
export const findTool = ({ tools }: ServedDomain, id: string): ServedTool | null =>
  isToolId(id) ? (tools.find((tool) => tool.id === id) ?? null) : null;
