/** Describes Journey's data model as far as the mapping needs it. */
export interface ModelField {
  readonly name: string;
  /** Without its subtype: 'text', 'integer', 'single-choice', 'photo'. */
  readonly type: string;
  /** Keys of a choice, as strings. */
  readonly choices: readonly string[];
  /**
   * The media type that an attachment takes, or `any`; absent when the data model does not state
   * it.
   */
  readonly media?: string;
}

export interface BelongsTo {
  /** The relation's name; its field is `{name}_id`. */
  readonly name: string;
  readonly model: string;
}

export interface Model {
  readonly name: string;
  readonly label: string;
  readonly fields: readonly ModelField[];
  readonly belongsTo: readonly BelongsTo[];
}

export interface JourneyCatalog {
  readonly hash: string;
  readonly userModel: string | null;
  readonly models: readonly Model[];
}
