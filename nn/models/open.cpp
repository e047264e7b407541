#include <ordo/nn/models/open.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/generator_scope.h>
#include <ordo/nn/models/gpt2.h>
#include <ordo/nn/models/json_file.h>
#include <ordo/nn/models/llama.h>
#include <ordo/nn/state/safetensors.h>
#include <ordo/nn/state/torch_file.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo::models {
namespace {

namespace fs = std::filesystem;

Entries read_json(const std::string& path) { return json_file(path, "open"); }

/// Of the files. A model that is larger is not made.
struct Held {
  int64_t tensors = 0, elements = 0;
};
void expect_held(const Entries& e, const Held& held, int64_t layers,
                 std::initializer_list<std::pair<int64_t, int64_t>> sizes) {
  e.check(layers <= held.tensors, "has {} layers, but the files hold {} tensors", layers, held.tensors);
  for (const auto& [rows, columns] : sizes)
    e.check(rows <= 0 || columns <= held.elements / rows, "has a tensor of {} by {}, but the files hold {} elements",
            rows, columns, held.elements);
}

std::unique_ptr<LanguageModel> gpt2_of(const Entries& e, const Held& held) {
  GPT2Config c;
  e.read("vocab_size", c.vocab_size);
  e.read("n_positions", c.n_positions);
  e.read("n_embd", c.n_embd);
  e.read("n_layer", c.n_layer);
  e.read("n_head", c.n_head);
  e.read("n_inner", c.n_inner);
  e.read("layer_norm_epsilon", c.layer_norm_epsilon);
  e.read("embd_pdrop", c.embd_pdrop);
  e.read("attn_pdrop", c.attn_pdrop);
  e.read("resid_pdrop", c.resid_pdrop);
  const std::string activation = e.get<std::string>("activation_function", "gelu_new");
  e.check(activation == "gelu_new" || activation == "gelu_pytorch_tanh",
          "'activation_function' is {}; only gelu_new is computed here", activation);
  e.expect("tie_word_embeddings", true);
  e.expect("scale_attn_weights", true);
  e.expect("scale_attn_by_inverse_layer_idx", false);
  e.expect("add_cross_attention", false);
  expect_held(e, held, c.n_layer,
              {{c.vocab_size, c.n_embd}, {c.n_positions, c.n_embd}, {c.n_embd, c.n_embd}, {c.n_inner, c.n_embd}});
  return std::make_unique<GPT2>(c);
}

void read_rotary(const Entries& e, nn::RotaryEmbeddingOptions& rotary) {
  e.read("rope_theta", rotary.base);
  const char* const name = e.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
  if (!e.has(name)) return;
  const Entries rope = e.part(name);
  rope.read("rope_theta", rotary.base);
  const std::string type = rope.get<std::string>("rope_type", rope.get<std::string>("type", "default"));
  if (type == "default") return;
  rope.read("factor", rotary.scaling.factor);
  if (type == "linear") return;
  rope.check(type == "llama3", "'rope_type' is {}; there are default, linear and llama3", type);
  rope.read("low_freq_factor", rotary.scaling.low_freq_factor);
  rope.read("high_freq_factor", rotary.scaling.high_freq_factor);
  int64_t original = 8192;
  rope.read("original_max_position_embeddings", original);
  rotary.scaling.original_positions = original;
}

std::unique_ptr<LanguageModel> llama_of(const Entries& e, const std::string& architecture, const Held& held) {
  LlamaConfig c;
  const bool is_qwen = architecture == "Qwen2ForCausalLM";
  c.model_type = is_qwen ? "qwen2" : architecture == "MistralForCausalLM" ? "mistral" : "llama";
  c.attention_bias = is_qwen;
  e.read("vocab_size", c.vocab_size);
  e.read("hidden_size", c.hidden_size);
  e.read("intermediate_size", c.intermediate_size);
  e.read("num_hidden_layers", c.num_hidden_layers);
  e.read("num_attention_heads", c.num_attention_heads);
  e.read("num_key_value_heads", c.num_key_value_heads);
  e.read("head_dim", c.head_dim);
  e.read("max_position_embeddings", c.max_position_embeddings);
  e.read("rms_norm_eps", c.rms_norm_eps);
  e.read("tie_word_embeddings", c.tie_word_embeddings);
  read_rotary(e, c.rotary);
  e.expect("hidden_act", "silu");
  e.expect("mlp_bias", false);
  e.expect("attention_dropout", 0.0);
  if (!is_qwen) e.expect("attention_bias", false);
  // A window that is longer than all texts is none.
  int64_t window = c.max_position_embeddings;
  bool has_window = !is_qwen;
  e.read("use_sliding_window", has_window);
  e.read("sliding_window", window);
  e.check(!has_window || window >= c.max_position_embeddings,
          "'sliding_window' is {}; attention to a part of the text is not computed here", window);
  expect_held(e, held, c.num_hidden_layers,
              {{c.vocab_size, c.hidden_size},
               {c.intermediate_size, c.hidden_size},
               {c.num_attention_heads, c.hidden_size},
               {c.num_attention_heads, c.head_dim},
               {c.num_key_value_heads, c.head_dim}});
  return std::make_unique<Llama>(c);
}

std::vector<std::string> labels_of(const Entries& e) {
  if (!e.has("id2label")) return std::vector<std::string>(2);  // without names, as transformers does
  const Entries labels = e.part("id2label");
  std::vector<std::string> names;
  for (size_t i = 0; i < e.at("id2label").size(); ++i)
    names.push_back(labels.get<std::string>(std::to_string(i).c_str()));
  return names;
}

std::string architecture_of(const Entries& e) {
  if (e.has("architectures") && e.at("architectures").is_array() && e.at("architectures").size() == 1 &&
      e.at("architectures")[0].is_string())
    return e.at("architectures")[0].get<std::string>();
  return "";
}

std::unique_ptr<Bert> bert_of(const Entries& e, const Held& held) {
  BertConfig c;
  c.architecture = architecture_of(e);
  if (c.architecture == "BertForPreTraining") c.architecture = "BertForMaskedLM";
  const auto known = {"BertModel", "BertForMaskedLM", "BertForTokenClassification", "BertForSequenceClassification"};
  e.check(std::find(known.begin(), known.end(), c.architecture) != known.end(),
          "'architectures' is {}; open_bert() opens {}",
          e.has("architectures") ? e.at("architectures").dump() : "missing", fmt::join(known, ", "));
  e.read("vocab_size", c.vocab_size);
  e.read("hidden_size", c.hidden_size);
  e.read("num_hidden_layers", c.num_hidden_layers);
  e.read("num_attention_heads", c.num_attention_heads);
  e.read("intermediate_size", c.intermediate_size);
  e.read("max_position_embeddings", c.max_position_embeddings);
  e.read("type_vocab_size", c.type_vocab_size);
  e.read("layer_norm_eps", c.layer_norm_eps);
  e.read("hidden_dropout_prob", c.hidden_dropout_prob);
  e.read("attention_probs_dropout_prob", c.attention_probs_dropout_prob);
  if (e.lists("pad_token_id")) c.pad_token_id.reset();
  if (e.has("pad_token_id")) c.pad_token_id = e.get<int64_t>("pad_token_id");
  if (e.has("classifier_dropout")) c.classifier_dropout = e.get<double>("classifier_dropout");
  e.expect("hidden_act", "gelu");
  e.expect("position_embedding_type", "absolute");
  e.expect("is_decoder", false);
  e.expect("add_cross_attention", false);
  e.expect("tie_word_embeddings", true);
  c.labels = labels_of(e);
  expect_held(e, held, c.num_hidden_layers,
              {{c.vocab_size, c.hidden_size},
               {c.max_position_embeddings, c.hidden_size},
               {c.type_vocab_size, c.hidden_size},
               {c.hidden_size, c.hidden_size},
               {c.intermediate_size, c.hidden_size}});
  return std::make_unique<Bert>(c);
}

/// As the model names them. The first files for BERT name the norms' parameters differently, and those of the encoder
/// alone leave out "bert.".
nn::NamedTensorList renamed_for_bert(nn::NamedTensorList weights, const Bert& model) {
  const bool complete =
      std::any_of(weights.begin(), weights.end(), [](const auto& entry) { return entry.name.starts_with("bert."); });
  for (auto& [name, tensor] : weights) {
    if (!complete) name = "bert." + name;
    for (const auto& [old, now] : {std::pair{".gamma", ".weight"}, {".beta", ".bias"}})
      if (name.ends_with(std::string("LayerNorm") + old)) name = name.substr(0, name.rfind('.')) + now;
  }
  std::erase_if(weights, [&](const auto& entry) {
    return entry.name == "bert.embeddings.position_ids" || entry.name.starts_with("cls.predictions.decoder.") ||
           (entry.name.starts_with("bert.pooler.") && !model.bert.pooler) ||
           (entry.name.starts_with("cls.") && !model.cls) || entry.name.starts_with("cls.seq_relationship.");
  });
  return weights;
}

/// A model that is larger than the files is not made.
void expect_held(const std::string& file, const ResNetConfig& c, const Held& held) {
  // All weights of convolutions, without the first ones of stages.
  double elements = 49.0 * double(c.num_channels) * double(c.embedding_size);
  for (size_t i = 0; i < std::min(c.depths.size(), c.hidden_sizes.size()); ++i) {
    ORDO_CHECK(c.depths[i] <= held.tensors, DataError, "open", "{}: has {} layers, but the files hold {} tensors", file,
               c.depths[i], held.tensors);
    const double out = double(c.hidden_sizes[i]), inner = out / 4;
    elements += double(c.depths[i] - 1) * (c.bottleneck ? 2 * out * inner + 9 * inner * inner : 18 * out * out);
    if (i > 0) elements += out * double(c.hidden_sizes[i - 1]);
  }
  if (!c.hidden_sizes.empty()) elements += double(c.labels.size()) * double(c.hidden_sizes.back());
  ORDO_CHECK(elements <= double(held.elements), DataError, "open", "{}: has {:.0f} elements, but the files hold {}",
             file, elements, held.elements);
}

std::unique_ptr<ResNet> resnet_of(const Entries& e, const Held& held) {
  e.check(architecture_of(e) == "ResNetForImageClassification",
          "'architectures' is {}; open_resnet() opens ResNetForImageClassification",
          e.has("architectures") ? e.at("architectures").dump() : "missing");
  ResNetConfig c;
  e.read("num_channels", c.num_channels);
  e.read("embedding_size", c.embedding_size);
  e.read("hidden_sizes", c.hidden_sizes);
  e.read("depths", c.depths);
  e.read("downsample_in_first_stage", c.downsample_in_first_stage);
  e.read("downsample_in_bottleneck", c.downsample_in_bottleneck);
  const auto type = e.get<std::string>("layer_type", "bottleneck");
  e.check(type == "bottleneck" || type == "basic", "'layer_type' is {}", type);
  c.bottleneck = type == "bottleneck";
  e.expect("hidden_act", "relu");
  c.labels = labels_of(e);
  expect_held(e.file(), c, held);
  return std::make_unique<ResNet>(c);
}

/// "layer2.0.conv1.weight" of torchvision as "resnet.encoder.stages.1.layers.0.layer.0.convolution.weight", and so on;
/// and the sizes that follow from the tensors.
ResNetConfig renamed_from_torchvision(const std::string& file, nn::NamedTensorList& weights) {
  ResNetConfig c;
  c.bottleneck = false, c.depths.clear(), c.hidden_sizes.clear(), c.labels.clear();
  const auto rows_of = [&](const nn::NamedTensor& entry) {
    ORDO_CHECK(entry.tensor.dim() > 0, DataError, "open", "{}: '{}' is a number", file, entry.name);
    return entry.tensor.size(0);
  };
  const auto part_of = [](const std::string& kind, const std::string& rest) {
    return (kind == "conv" ? "convolution" : "normalization") + rest;
  };
  for (nn::NamedTensor& entry : weights) {
    static const std::regex block(R"(layer([1-9])\.(\d{1,4})\.(?:(conv|bn)([1-3])|downsample\.([01]))(\..+))");
    static const std::regex first(R"((conv|bn)1(\..+))");
    std::smatch m;
    const std::string name = entry.name;
    ORDO_CHECK(name.size() < 100, DataError, "open", "{}: has a name of {} characters", file, name.size());
    if (std::regex_match(name, m, block)) {
      const size_t stage = size_t(std::stoi(m[1])), layer = size_t(std::stoi(m[2]));
      c.depths.resize(std::max(c.depths.size(), stage)), c.hidden_sizes.resize(c.depths.size());
      c.depths[stage - 1] = std::max(c.depths[stage - 1], int64_t(layer) + 1);
      const std::string path = "resnet.encoder.stages." + std::to_string(stage - 1) + ".layers." + m[2].str() + ".";
      if (m[5].matched) {
        entry.name = path + "shortcut." + part_of(m[5] == "0" ? "conv" : "bn", m[6]);
        continue;
      }
      if (m[3] == "bn" && m[6] == ".weight" && layer == 0)
        c.hidden_sizes[stage - 1] = std::max(c.hidden_sizes[stage - 1], rows_of(entry));
      c.bottleneck |= m[4] == "3";
      entry.name = path + "layer." + std::to_string(std::stoi(m[4]) - 1) + "." + part_of(m[3], m[6]);
    } else if (std::regex_match(name, m, first)) {
      if (name == "conv1.weight" && entry.tensor.dim() == 4)
        c.embedding_size = entry.tensor.size(0), c.num_channels = entry.tensor.size(1);
      entry.name = "resnet.embedder.embedder." + part_of(m[1], m[2]);
    } else if (name.starts_with("fc.")) {
      if (name == "fc.weight") {
        ORDO_CHECK(entry.tensor.numel() > 0, DataError, "open", "{}: '{}' has no elements", file, name);
        c.labels.resize(size_t(rows_of(entry)));
      }
      entry.name = "classifier.1." + name.substr(3);
    } else {
      ordo::detail::fail<DataError>("open", "{}: '{}' is no tensor of torchvision's ResNet", file, name);
    }
  }
  return c;
}

std::unique_ptr<LanguageModel> language_model_of(const Entries& e, const Held& held) {
  const std::string architecture = architecture_of(e);
  if (architecture == "GPT2LMHeadModel") return gpt2_of(e, held);
  for (const char* kin : {"LlamaForCausalLM", "MistralForCausalLM", "Qwen2ForCausalLM"})
    if (architecture == kin) return llama_of(e, architecture, held);
  e.fail("'architectures' is {}; there are GPT2LMHeadModel, LlamaForCausalLM, MistralForCausalLM and Qwen2ForCausalLM",
         e.has("architectures") ? e.at("architectures").dump() : "missing");
}

nn::NamedTensorList weights_of(const std::string& folder) {
  const std::string one = folder + "/model.safetensors", list = folder + "/model.safetensors.index.json";
  if (fs::exists(one)) return load_safetensors(one).tensors;
  if (const std::string old = folder + "/pytorch_model.bin"; !fs::exists(list) && fs::exists(old))
    return load_torch(old);
  ORDO_CHECK(fs::exists(list), DataError, "open",
             "{}: has neither model.safetensors nor model.safetensors.index.json nor pytorch_model.bin", folder);
  const Entries index = read_json(list);
  index.check(index.at("weight_map").is_object(), "'weight_map' is no object");
  std::set<std::string> files;
  for (const auto& [name, file] : index.at("weight_map").items()) {
    index.check(file.is_string() && file.get<std::string>().find('/') == std::string::npos,
                "'{}' is in {}, which is no file of the folder", name, file.dump());
    files.insert(file.get<std::string>());
  }
  nn::NamedTensorList all;
  for (const std::string& file : files) {
    const nn::NamedTensorList some = load_safetensors(folder + "/" + file).tensors;
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

/// As the model names them: older files leave out the first part of names, and hold masks and angles.
nn::NamedTensorList renamed(nn::NamedTensorList weights, const LanguageModel& model) {
  const std::string prefix = model.state_dict()[0].name.substr(0, model.state_dict()[0].name.find('.') + 1);
  const bool complete =
      std::any_of(weights.begin(), weights.end(), [&](const auto& entry) { return entry.name.starts_with(prefix); });
  std::erase_if(weights, [&](const auto& entry) {
    return entry.name.ends_with(".attn.bias") || entry.name.ends_with(".attn.masked_bias") ||
           entry.name.ends_with(".rotary_emb.inv_freq") || (prefix == "transformer." && entry.name == "lm_head.weight");
  });
  for (auto& entry : weights)
    if (!complete && entry.name != "lm_head.weight") entry.name = prefix + entry.name;
  return weights;
}

Held held_by(const nn::NamedTensorList& weights) {
  Held held{int64_t(weights.size())};
  for (const auto& entry : weights) held.elements += entry.tensor.numel();
  return held;
}

/// make() with these weights, as rename(weights, model) names them.
template <class Make, class Rename>
auto opened(nn::NamedTensorList weights, const OpenOptions& options, const Make& make, const Rename& rename) {
  auto model = [&] {
    Generator generator(0);  // of first values, which nobody sees
    const ordo::detail::GeneratorScope scope(generator);
    return make();
  }();
  model->to(options.dtype);
  model->load_state_dict(rename(std::move(weights), *model));
  model->to(options.device);
  model->eval();
  return model;
}

/// make(config.json, what the files hold), likewise.
template <class Make, class Rename>
auto opened(const std::string& folder, const OpenOptions& options, const Make& make, const Rename& rename) {
  const Entries config = read_json(folder + "/config.json");
  const nn::NamedTensorList weights = weights_of(folder);
  return opened(
      weights, options, [&] { return make(config, held_by(weights)); }, rename);
}

template <class M>
void save_model(const M& model, const std::string& folder) {
  const ordo::detail::LibraryCall call;
  for (const auto& entry : model.state_dict())
    ORDO_CHECK(!entry.name.ends_with(".lora.A"), ValueError, "save",
               "'{}' is a low-rank part, which transformers does not read; nn::merge_lora() adds it to the weight",
               entry.name);
  nn::make_folder("save", folder);
  nn::WholeFile config(folder + "/config.json", "save");
  config.write(model.config_json());
  save_safetensors(folder + "/model.safetensors", model.state_dict(), {{"format", "pt"}});
  config.commit();
}

}  // namespace

std::unique_ptr<LanguageModel> open(const std::string& folder, const OpenOptions& options) {
  const ordo::detail::LibraryCall call;
  return opened(folder, options, language_model_of, renamed);
}

std::unique_ptr<Bert> open_bert(const std::string& folder, const OpenOptions& options) {
  const ordo::detail::LibraryCall call;
  return opened(folder, options, bert_of, renamed_for_bert);
}

std::unique_ptr<ResNet> open_resnet(const std::string& folder, const OpenOptions& options) {
  const ordo::detail::LibraryCall call;
  if (fs::is_regular_file(folder)) {
    nn::NamedTensorList weights =
        folder.ends_with(".safetensors") ? load_safetensors(folder).tensors : load_torch(folder);
    const ResNetConfig config = renamed_from_torchvision(folder, weights);
    expect_held(folder, config, held_by(weights));
    // The oldest files do not count batches.
    const auto completed = [](nn::NamedTensorList held, const ResNet& model) {
      for (const auto& [name, tensor] : model.state_dict()) {
        const auto is_there = [&, &name = name](const auto& entry) { return entry.name == name; };
        if (name.ends_with(".num_batches_tracked") && std::none_of(held.begin(), held.end(), is_there))
          held.push_back({name, zeros_like(tensor)});
      }
      return held;
    };
    return opened(
        weights, options, [&] { return std::make_unique<ResNet>(config); }, completed);
  }
  const auto as_they_are = [](nn::NamedTensorList weights, const ResNet&) { return weights; };
  return opened(folder, options, resnet_of, as_they_are);
}

void save(const LanguageModel& model, const std::string& folder) { save_model(model, folder); }
void save(const Bert& model, const std::string& folder) { save_model(model, folder); }
void save(const ResNet& model, const std::string& folder) { save_model(model, folder); }

}  // namespace ordo::models
