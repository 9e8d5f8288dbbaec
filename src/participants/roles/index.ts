/**
 * Roles: agents with a prompt, whose answers carry metadata of a schema. role-turn.ts asks the agent; `extract/` finds the
 * metadata: in the answer, by a tool call, or with a second model. Metadata is never guessed, and corrected at most once.
 */

export { ExtractError, isExtractError } from './extract/extract-error.ts';
export { EXTRACT_STRATEGIES, type ExtractSettings, type ExtractStrategy, mergeExtract } from './extract/settings.ts';
export type { ExtractIssue, MetaOf, StandardIssue, StandardResult, StandardSchema } from './lib/standard-schema.ts';
export { type AnyRole, createRole, type MetaSchema, type Role, type RoleAnswer } from './role.ts';
