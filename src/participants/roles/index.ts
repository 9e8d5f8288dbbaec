/** Roles: agents with a prompt, whose answers have metadata of a schema. */

export { ExtractError, isExtractError } from './extract/extract-error.ts';
export { EXTRACT_STRATEGIES, type ExtractSettings, type ExtractStrategy, mergeExtract } from './extract/settings.ts';
export { type AnyRole, createRole, type MetaSchema, type Role, type RoleAnswer } from './role.ts';
export type {
  ExtractIssue,
  MetaOf,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './lib/standard-schema.ts';
