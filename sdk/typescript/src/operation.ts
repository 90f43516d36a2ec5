import type { paths } from "./schema.js";

export type Method = "get" | "post" | "put" | "delete";

/** The paths that are served with a method. */
export type PathWith<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, unknown> ? P : never;
}[keyof paths] &
  string;

type Operation<M extends Method, P extends PathWith<M>> = paths[P] extends Record<M, infer O> ? O : never;
type Parameters<O> = O extends { parameters: infer Given } ? Given : never;
type ContentOf<Part> = NonNullable<Part> extends { content: infer Content } ? Content[keyof Content] : never;
type Responses<O> = O extends { responses: infer Given } ? Given : never;

/** A property that is optional if all of its own properties are. */
type Part<Name extends string, Given> = [Given] extends [never]
  ? { [N in Name]?: never }
  : Record<never, never> extends Given
    ? { [N in Name]?: Given }
    : { [N in Name]: Given };

type PathPart<O> = Parameters<O> extends { path: infer Given } ? Part<"path", Given> : { path?: never };
type QueryPart<O> = Parameters<O> extends { query?: infer Given } ? Part<"query", Exclude<Given, undefined>> : { query?: never };
// Files are sent as they are, although the document describes their forms.
type RawBody = FormData | Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;
type BodyPart<O> = O extends { requestBody: infer Given }
  ? { body: ContentOf<Given> | RawBody }
  : O extends { requestBody?: infer Given }
    ? { body?: ContentOf<Given> | RawBody }
    : { body?: never };

export interface CallOptions {
  /** Sends take it: the same key never sends twice. The client makes one for each send without a key. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export type RequestOptions<M extends Method, P extends PathWith<M>> = PathPart<Operation<M, P>> &
  QueryPart<Operation<M, P>> &
  BodyPart<Operation<M, P>> &
  CallOptions;

/** The body of a success. */
export type Answer<M extends Method, P extends PathWith<M>> = {
  [Status in keyof Responses<Operation<M, P>>]: Responses<Operation<M, P>>[Status] extends { content: infer Content }
    ? Content[keyof Content]
    : undefined;
}[keyof Responses<Operation<M, P>>];

interface PageOf<Item> {
  content: Item[];
  last: boolean;
  number: number;
}

/** The paths that answer with a page. */
export type PagePath = {
  [P in PathWith<"get">]: Answer<"get", P> extends PageOf<unknown> ? P : never;
}[PathWith<"get">];

export type PageItem<P extends PagePath> = Answer<"get", P> extends PageOf<infer Item> ? Item : never;
