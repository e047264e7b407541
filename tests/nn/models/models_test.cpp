// Language models from folders: what PyTorch and transformers compute with them (make_models.py), and the same bits
// whole, in pieces, generating, and beside other texts.
#include <nlohmann/json.hpp>

#include "tests/support/folder_test_base.h"
#include "tests/support/names_of.h"

namespace ordo::test::models_test {
namespace {

using models::LanguageModel, models::Generated;
using Tensors = std::map<std::string, Tensor>;

std::string folder_of(const std::string& model) {
  return std::string(ORDO_SOURCE_DIR) + "/tests/nn/models/data/" + model;
}

Tensors tensors_of(const std::string& file) {
  Tensors all;
  for (const auto& entry : load_safetensors(file).tensors) all[entry.name] = entry.tensor;
  return all;
}

/// Logits, loss and gradients are those of Python. A gradient may be off by 1e-5 of its largest element, and `more`.
void expect_as_in_python(const nn::Module& model, const Tensor& logits, const Tensor& loss, Tensors& expected,
                         double more) {
  EXPECT_TRUE(allclose(logits, expected["logits"], 1e-5, 1e-5)) << (logits - expected["logits"]).abs().max().item();
  EXPECT_TRUE(allclose(loss.view({1}), expected["loss"], 1e-5, 1e-6));
  loss.backward();
  for (const auto& [name, parameter] : model.named_parameters()) {
    const Tensor gradient = expected["grad." + name];
    ASSERT_TRUE(gradient.defined()) << name;
    EXPECT_TRUE(allclose(parameter.grad(), gradient, 1e-4, 1e-5 * gradient.abs().max().item<double>() + more)) << name;
  }
}

class Models : public testing::TestWithParam<std::string> {
 protected:
  const std::string folder = folder_of(GetParam());
  const DeterminismGuard guard_{Determinism::device_to_device};
  Tensors expected = tensors_of(folder + "/expected.safetensors");
};
INSTANTIATE_TEST_SUITE_P(, Models, testing::Values("gpt2", "llama", "mistral", "qwen2"),
                         [](const auto& info) { return info.param; });

TEST_P(Models, compute_what_they_do_in_python) {
  const auto model = models::open(folder);
  const Tensor tokens = expected["tokens"], logits = (*model)(tokens);
  const Tensor next = tokens.narrow(1, 1, 12).flatten();
  const Tensor loss = cross_entropy(logits.narrow(1, 0, 12).flatten(0, 1), next);
  expect_as_in_python(*model, logits, loss, expected, 0);
}

TEST_P(Models, have_one_result_whole_and_in_pieces) {
  for (const Device device : test_devices()) {
    const auto model = models::open(folder, {.device = device});
    const Tensor tokens = expected["tokens"].to(device);
    const Tensor whole = (*model)(tokens);
    const NoGrad guard;
    for (const std::vector<int64_t>& pieces : {std::vector<int64_t>(13, 1), {5, 1, 7}, {13}}) {
      models::TextState state = model->begin();
      int64_t at = 0;
      for (const int64_t length : pieces) {
        const Tensor part = (*model)(tokens.narrow(1, at, length), state);
        EXPECT_TRUE(equal(part, whole.narrow(1, at, length))) << "from " << at << " on " << device;
        at += length;
      }
    }
  }
}

TEST_P(Models, generate_the_same_beside_other_texts_and_as_in_training) {
  const std::vector<std::vector<int64_t>> prompts{{3, 14, 15}, {9, 2, 6, 5, 35, 8}, {7}};
  for (const Device device : test_devices()) {
    const auto model = models::open(folder, {.device = device});
    for (const double temperature : {0.0, 0.9}) {
      models::GenerateOptions options{.max_new_tokens = 9, .temperature = temperature, .top_k = 40, .top_p = 0.95};
      const std::vector<Generated> all = models::generate(*model, prompts, options);
      for (size_t i = 0; i < prompts.size(); ++i) {
        options.requests = {int64_t(i)};
        const Generated alone = models::generate(*model, {prompts[i]}, options)[0];
        EXPECT_EQ(all[i].tokens, alone.tokens);
        EXPECT_EQ(all[i].log_probabilities, alone.log_probabilities) << "to the bit";
        std::vector<int64_t> text = prompts[i];
        text.insert(text.end(), alone.tokens.begin(), alone.tokens.end());
        const Tensor tokens = from_vector(text, {1, int64_t(text.size())}).to(device);
        const Tensor scores = log_softmax((*model)(tokens), -1)[0].detach().to(cpu);
        for (size_t k = 0; k < alone.tokens.size(); ++k)
          EXPECT_EQ(scores[int64_t(prompts[i].size() + k) - 1][alone.tokens[k]].item<float>(),
                    alone.log_probabilities[k]);
      }
    }
  }
}

class ModelFiles : public FolderTest {};

TEST_F(ModelFiles, have_encoders) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const std::string name : {"bert_masked", "bert_classifier"}) {
    SCOPED_TRACE(name);
    auto expected = tensors_of(folder_of(name) + "/expected.safetensors");
    const auto model = models::open_bert(folder_of(name));
    const Tensor tokens = expected["tokens"];
    const models::BertCall call{expected["token_type_ids"], expected["attention_mask"]};
    const Tensor logits = (*model)(tokens, call);
    const Tensor labels = model->classifier ? from_vector(std::vector<int64_t>{0, 2, 1}, {3}) : tokens.flatten();
    const Tensor loss = cross_entropy(model->classifier ? logits : logits.flatten(0, 1), labels);
    expect_as_in_python(*model, logits, loss, expected, 1e-7);
    models::save(*model, path(name));
    const auto again = models::open_bert(path(name));
    EXPECT_EQ(bytes_of((*again)(tokens, call)), bytes_of(logits));
    EXPECT_EQ(again->config.labels, model->config.labels);
  }
  EXPECT_EQ(models::open_bert(folder_of("bert_classifier"))->config.labels[2], "yes");
}

TEST_F(ModelFiles, of_encoders_give_a_text_one_result_in_any_company) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Device device : test_devices()) {
    const auto model = models::open_bert(folder_of("bert_masked"), {.device = device});
    auto expected = tensors_of(folder_of("bert_masked") + "/expected.safetensors");
    const Tensor tokens = expected["tokens"].to(device), mask = expected["attention_mask"].to(device);
    const Tensor together = (*model)(tokens, {.attention_mask = mask});
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t length = mask[i].sum().item<int64_t>();
      const Tensor alone = (*model)(tokens.narrow(0, i, 1).narrow(1, 0, length), {});
      EXPECT_EQ(bytes_of(alone[0]), bytes_of(together[i].narrow(0, 0, length))) << "text " << i << " on " << device;
    }
  }
}

TEST_F(ModelFiles, of_encoders_may_be_old_or_of_the_encoder_alone) {
  const std::string folder = folder_of("bert_masked");
  const auto model = models::open_bert(folder);
  const Tensor tokens = test_indices({2, 5}, 89);
  const auto written = [&](const char* architecture, const std::function<void(nn::NamedTensorList&)>& change) {
    auto config = nlohmann::json::parse(read(folder + "/config.json"));
    config["architectures"] = {architecture};
    write(path("old/config.json"), config.dump());
    nn::NamedTensorList tensors = load_safetensors(folder + "/model.safetensors").tensors;
    change(tensors);
    save_safetensors(path("old/model.safetensors"), tensors, {});
    return models::open_bert(path("old"));
  };
  const auto old = written("BertForPreTraining", [](nn::NamedTensorList& tensors) {
    for (auto& [name, tensor] : tensors)
      for (const auto& [now, before] :
           {std::pair{"LayerNorm.weight", "LayerNorm.gamma"}, {"LayerNorm.bias", "LayerNorm.beta"}})
        if (name.ends_with(now)) name = name.substr(0, name.size() - std::string(now).size()) + before;
    tensors.push_back({"bert.pooler.dense.weight", zeros({16, 16})});
    tensors.push_back({"cls.seq_relationship.bias", zeros({2})});
    tensors.push_back({"cls.predictions.decoder.bias", zeros({89})});
    tensors.push_back({"bert.embeddings.position_ids", zeros({1, 32}, int64)});
  });
  EXPECT_EQ(bytes_of((*old)(tokens)), bytes_of((*model)(tokens)));
  const auto encoder = written("BertModel", [](nn::NamedTensorList& tensors) {
    std::erase_if(tensors, [](const auto& entry) { return entry.name.starts_with("cls."); });
    tensors.push_back({"bert.pooler.dense.weight", zeros({16, 16})});
    tensors.push_back({"bert.pooler.dense.bias", zeros({16})});
    for (auto& [name, tensor] : tensors) name = name.substr(std::string("bert.").size());
  });
  EXPECT_EQ(bytes_of((*encoder)(tokens)), bytes_of(model->features(tokens, {})));

  const auto nothing = [](nn::NamedTensorList&) {};
  EXPECT_ORDO_ERROR(written("BertForQuestionAnswering", nothing), DataError,
                    "open_bert() opens BertModel, BertForMaskedLM");
  EXPECT_ORDO_ERROR(written("BertForTokenClassification", nothing), ValueError, "classifier");
  auto config = nlohmann::json::parse(read(folder + "/config.json"));
  config["hidden_act"] = "gelu_new";
  write(path("old/config.json"), config.dump());
  EXPECT_ORDO_ERROR(models::open_bert(path("old")), DataError, "'hidden_act' is \"gelu_new\"");
  config["hidden_act"] = "gelu", config["vocab_size"] = int64_t(1) << 40;
  write(path("old/config.json"), config.dump());
  EXPECT_ORDO_ERROR(models::open_bert(path("old")), DataError, "but the files hold");
  EXPECT_ORDO_ERROR((*model)(tokens, {.attention_mask = ones({2, 4})}), ShapeError, "attention_mask");
  EXPECT_ORDO_ERROR((*model)(zeros({1, 33}, int64)), ValueError, "the model is for 32 at most");
  EXPECT_ORDO_ERROR(models::Bert({.architecture = "Bart"}), ValueError, "there is no architecture Bart");
  EXPECT_ORDO_ERROR(models::Bert({.num_attention_heads = 7}), ValueError, "7 heads cannot share 768 features");
}

TEST_F(ModelFiles, of_resnets_may_be_torchvision_s) {
  nn::NamedTensorList tensors = load_safetensors(folder_of("resnet_bottleneck") + "/model.safetensors").tensors;
  const auto replace = [](std::string& name, const std::string& from, const std::string& to) {
    if (const size_t at = name.find(from); at != std::string::npos) name.replace(at, from.size(), to);
  };
  for (auto& [name, tensor] : tensors) {
    const bool is_norm = name.find("normalization") != std::string::npos;
    replace(name, "resnet.embedder.embedder.", "1.");
    for (const std::string stage : {"0", "1"})
      replace(name, "resnet.encoder.stages." + stage + ".layers.",
              "layer" + std::to_string(std::stoi(stage) + 1) + ".");
    for (const std::string k : {"0", "1", "2"})
      replace(name, "layer." + k + ".", std::to_string(std::stoi(k) + 1) + ".");
    replace(name, "shortcut.", is_norm ? "downsample.1." : "downsample.0.");
    const bool plain = name.find("downsample") != std::string::npos;
    const size_t at = name.find(is_norm ? ".normalization." : ".convolution.");
    if (at != std::string::npos) {
      name.replace(at, is_norm ? 15 : 13, ".");
      if (!plain) name.insert(at - 1, is_norm ? "bn" : "conv");
    }
    replace(name, "classifier.1.", "fc.");
  }
  save_safetensors(path("resnet.safetensors"), tensors, {});
  const auto before = load_safetensors(folder_of("resnet_bottleneck") + "/model.safetensors").tensors;
  // The first stage of this one halves the picture, which torchvision's do not; so its tensors are compared.
  expect_same_tensors(models::open_resnet(path("resnet.safetensors"))->state_dict(), before);
  nn::NamedTensorList old = tensors;
  std::erase_if(old, [](const auto& entry) { return entry.name.ends_with(".num_batches_tracked"); });
  save_safetensors(path("old.safetensors"), old, {});
  EXPECT_EQ(models::open_resnet(path("old.safetensors"))->state_dict().size(), before.size());
  save_safetensors(path("long.safetensors"), {{"conv1." + std::string(50000, 'a'), ones({3})}}, {});
  EXPECT_ORDO_ERROR(models::open_resnet(path("long.safetensors")), DataError, "a name of 50006 characters");
  save_safetensors(path("none.safetensors"), {{"fc.weight", zeros({int64_t(1) << 40, 0})}}, {});
  EXPECT_ORDO_ERROR(models::open_resnet(path("none.safetensors")), DataError, "'fc.weight' has no elements");
  tensors.push_back({"conv9.weight", ones({3})});
  save_safetensors(path("more.safetensors"), tensors, {});
  EXPECT_ORDO_ERROR(models::open_resnet(path("more.safetensors")), DataError,
                    "'conv9.weight' is no tensor of torchvision");
  save_safetensors(path("large.safetensors"),
                   {{"conv1.weight", zeros({1 << 20, 0, 7, 7})},
                    {"layer1.0.bn1.weight", zeros({1 << 20})},
                    {"layer1.9.bn1.weight", zeros({1 << 20})},
                    {"fc.weight", zeros({2, 1})}},
                   {});
  EXPECT_ORDO_ERROR(models::open_resnet(path("large.safetensors")), DataError, "but the files hold");
}

TEST_F(ModelFiles, have_resnets) {
  for (const char* name : {"resnet_basic", "resnet_bottleneck"}) {
    SCOPED_TRACE(name);
    auto expected = tensors_of(folder_of(name) + "/expected.safetensors");
    const auto model = models::open_resnet(folder_of(name));
    const Tensor logits = (*model)(expected["tokens"]);
    const Tensor loss = cross_entropy(logits, from_vector(std::vector<int64_t>{0, 2, 1}, {3}));
    expect_as_in_python(*model, logits, loss, expected, 0);
    models::save(*model, path(name));
    const auto again = models::open_resnet(path(name));
    EXPECT_EQ(bytes_of((*again)(expected["tokens"])), bytes_of(logits));
    EXPECT_EQ(again->config.labels, model->config.labels);
  }
  EXPECT_EQ(models::open_resnet(folder_of("resnet_bottleneck"))->config.labels[2], "owl");
  EXPECT_ORDO_ERROR(models::open_resnet(folder_of("gpt2")), DataError, "opens ResNetForImageClassification");
  EXPECT_ORDO_ERROR(models::open(folder_of("resnet_basic")), DataError, "ResNetForImageClassification");
  const auto model = models::open_resnet(folder_of("resnet_basic"));
  nn::add_lora(*model, {"classifier.1"}, {.rank = 1});
  EXPECT_ORDO_ERROR(models::save(*model, path("low")), ValueError, "nn::merge_lora() adds it to the weight");
  std::filesystem::create_directories(path("large"));
  std::filesystem::copy_file(folder_of("resnet_basic") + "/model.safetensors", path("large/model.safetensors"));
  for (const char* sizes : {"[6, 800000]", "[6, 8.5]"}) {
    auto config = nlohmann::json::parse(read(folder_of("resnet_basic") + "/config.json"));
    config["hidden_sizes"] = nlohmann::json::parse(sizes);
    write(path("large/config.json"), config.dump());
    EXPECT_ORDO_ERROR(models::open_resnet(path("large")), DataError,
                      sizes[4] == '8' && sizes[5] == '0' ? "elements" : "'hidden_sizes'");
  }
  EXPECT_ORDO_ERROR(models::ResNet({.depths = {1}}), ValueError, "a depth for each of hidden_sizes, not 1 for 4");
  EXPECT_ORDO_ERROR(models::ResNet({.embedding_size = 0}), ValueError, "needs positive sizes, not 0");
}

TEST_F(ModelFiles, are_written_as_they_were_read) {
  for (const char* name : {"gpt2", "llama", "mistral", "qwen2"}) {
    const auto model = models::open(folder_of(name));
    models::save(*model, path(name));
    SCOPED_TRACE(name);
    expect_same_tensors(load_safetensors(path(name) + "/model.safetensors").tensors,
                        load_safetensors(folder_of(name) + "/model.safetensors").tensors);
    const Tensor tokens = test_indices({2, 5}, 89);
    EXPECT_TRUE(equal((*models::open(path(name)))(tokens), (*model)(tokens))) << name;
  }
}

TEST_F(ModelFiles, hold_what_low_rank_parts_learnt) {
  for (const char* name : {"gpt2", "llama"}) {
    const auto model = models::open(folder_of(name));
    nn::add_lora(*model, {"c_attn", "q_proj", "v_proj"}, {.rank = 2});
    const Tensor tokens = test_indices({2, 5}, 89), before = (*model)(tokens).detach();
    optim::Adam optimizer(model->parameters(), {.lr = 0.1});
    (*model)(tokens).pow(2).sum().backward();
    optimizer.step();
    const Tensor learnt = (*model)(tokens).detach();
    EXPECT_FALSE(allclose(learnt, before)) << name;
    EXPECT_ORDO_ERROR(models::save(*model, path(name)), ValueError, "nn::merge_lora() adds it to the weight");
    nn::merge_lora(*model);
    models::save(*model, path(name));
    EXPECT_TRUE(allclose((*models::open(path(name)))(tokens), learnt, 1e-4, 1e-4)) << name;
  }
}

TEST_F(ModelFiles, have_low_rank_parts_and_whole_modules) {
  auto expected = tensors_of(folder_of("bert_adapter") + "/expected.safetensors");
  const auto model = models::open_bert(folder_of("bert_classifier"));
  models::load_adapter(*model, folder_of("bert_adapter"));
  const Tensor logits = (*model)(expected["tokens"]);
  EXPECT_TRUE(allclose(logits, expected["logits"], 1e-5, 1e-5)) << (logits - expected["logits"]).abs().max().item();
  EXPECT_TRUE(model->classifier->bias.requires_grad());
  EXPECT_FALSE(model->bert.pooler->dense.weight.requires_grad());
  models::save_adapter(*model, path("adapter"));
  const auto again = models::open_bert(folder_of("bert_classifier"));
  models::load_adapter(*again, path("adapter"));
  EXPECT_EQ(bytes_of((*again)(expected["tokens"])), bytes_of(logits));
  const auto config = nlohmann::json::parse(read(path("adapter/adapter_config.json")));
  EXPECT_EQ(config["task_type"], "SEQ_CLS");
  EXPECT_EQ(config["modules_to_save"], nlohmann::json::array({"classifier"}));
  EXPECT_TRUE(config["use_rslora"].get<bool>());
  nn::NamedTensorList fewer = load_safetensors(path("adapter/adapter_model.safetensors")).tensors;
  std::erase_if(fewer, [](const auto& entry) { return entry.name.ends_with("classifier.bias"); });
  const std::string whole = read(path("adapter/adapter_model.safetensors"));
  save_safetensors(path("adapter/adapter_model.safetensors"), fewer, {});
  EXPECT_ORDO_ERROR(models::load_adapter(*models::open_bert(folder_of("bert_classifier")), path("adapter")), ValueError,
                    "there is no 'classifier.bias'");
  write(path("adapter/adapter_model.safetensors"), whole);
  const auto other = models::open_bert(folder_of("bert_masked"));
  EXPECT_ORDO_ERROR(models::load_adapter(*other, path("adapter")), ValueError, "no parameter 'classifier");
  again->bert.encoder.layer[0].attention.self.query.weight.requires_grad_(true);
  EXPECT_ORDO_ERROR(models::save_adapter(*again, path("adapter")), ValueError,
                    "is of no module that can be saved whole");
}

TEST_F(ModelFiles, have_low_rank_parts_of_their_own) {
  const std::string adapter = folder_of("gpt2_adapter");
  auto expected = tensors_of(adapter + "/expected.safetensors");
  const Tensor logits = expected["logits"], tokens = expected["tokens"];
  const auto model = models::open(folder_of("gpt2"));
  models::load_adapter(*model, adapter);
  EXPECT_TRUE(allclose((*model)(tokens), logits, 1e-5, 1e-5));
  models::save_adapter(*model, path("adapter"));
  const auto again = models::open(folder_of("gpt2"));
  models::load_adapter(*again, path("adapter"));
  EXPECT_TRUE(equal((*again)(tokens), (*model)(tokens)));
  for (const auto& [name, parameter] : again->named_parameters())
    EXPECT_EQ(parameter.requires_grad(), name.find(".lora.") != std::string::npos) << name;

  const auto refused = [&](const std::function<void(nlohmann::json&)>& change, const char* part) {
    auto config = nlohmann::json::parse(read(adapter + "/adapter_config.json"));
    change(config);
    write(path("adapter/adapter_config.json"), config.dump());
    EXPECT_ORDO_ERROR(models::load_adapter(*models::open(folder_of("gpt2")), path("adapter")), Error, part);
  };
  refused([](auto& c) { c["use_dora"] = true; }, "'use_dora' is true");
  refused([](auto& c) { c["init_lora_weights"] = "pissa"; }, "'init_lora_weights' is \"pissa\"");
  refused([](auto& c) { c["alora_invocation_tokens"] = {3}; }, "'alora_invocation_tokens'");
  refused([](auto& c) { c["rank_pattern"]["c_fc"] = 4; }, "'rank_pattern'");
  refused([](auto& c) { c["r"] = 3; }, "has the shape [2, 16], not [3, 16]");
  const auto refused_parts = [&](const std::function<void(nn::NamedTensorList&)>& change, const char* part) {
    std::filesystem::copy_file(adapter + "/adapter_config.json", path("adapter/adapter_config.json"),
                               std::filesystem::copy_options::overwrite_existing);
    nn::NamedTensorList tensors = load_safetensors(adapter + "/adapter_model.safetensors").tensors;
    change(tensors);
    save_safetensors(path("adapter/adapter_model.safetensors"), tensors);
    const auto other = models::open(folder_of("gpt2"));
    EXPECT_ORDO_ERROR(models::load_adapter(*other, path("adapter")), Error, part);
    EXPECT_EQ(other->named_parameters().size(), model->named_parameters().size() - 8) << "nothing has changed";
  };
  const std::string first = "base_model.model.transformer.h.0.attn.c_attn";
  const auto erase = [](nn::NamedTensorList& all, const std::string& part) {
    std::erase_if(all, [&](const auto& entry) { return entry.name.starts_with(part); });
  };
  refused_parts([&](auto& all) { erase(all, first + ".lora_A"); },
                "there is no 'transformer.h.0.attn.c_attn.lora_A.weight'");
  refused_parts([&](auto& all) { all[0].name = "wte.weight"; }, "'wte.weight' is no low-rank part");
  refused_parts([&](auto& all) { all[0].name = "base_model.model.h.lora_A.weight"; }, "the model has no Linear 'h'");
  EXPECT_ORDO_ERROR(models::load_adapter(*again, adapter), ValueError, "is a low-rank part already");
  const auto some = models::open(folder_of("gpt2"));
  nn::add_lora(*some, {"transformer.h.1.attn.c_attn"}, {.rank = 2});
  models::save_adapter(*some, path("some"));
  EXPECT_NE(read(path("some/adapter_config.json")).find("transformer.h.1.attn.c_attn"), std::string::npos);
  const auto other = models::open(folder_of("gpt2"));
  models::load_adapter(*other, path("some"));
  EXPECT_EQ(other->named_parameters().size(), some->named_parameters().size());
  EXPECT_ORDO_ERROR(models::save_adapter(*models::open(folder_of("gpt2")), path("none")), ValueError,
                    "has no low-rank parts");
}

TEST_F(ModelFiles, may_be_those_of_older_versions) {
  const std::string from = folder_of("qwen2");
  std::filesystem::create_directories(path("old"));
  std::filesystem::copy_file(from + "/config.json", path("old/config.json"));
  std::filesystem::copy_file(from + "/pytorch_model.bin", path("old/pytorch_model.bin"));
  const Tensor tokens = test_indices({2, 5}, 89);
  try {
    EXPECT_TRUE(equal((*models::open(path("old")))(tokens), (*models::open(from))(tokens)));
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("install libzip-dev"), std::string::npos) << error.what();
  }
}

TEST_F(ModelFiles, may_be_several_and_of_other_dtypes) {
  const auto model = models::open(folder_of("llama"));
  const auto weights = model->state_dict();
  std::filesystem::create_directories(path("parts"));
  std::filesystem::copy_file(folder_of("llama") + "/config.json", path("parts/config.json"));
  nn::NamedTensorList half[2];
  nlohmann::json map;
  for (size_t i = 0; i < weights.size(); ++i) {
    half[i % 2].push_back({weights[i].name, weights[i].tensor.detach().to(bfloat16)});
    map[weights[i].name] = i % 2 == 0 ? "a.safetensors" : "b.safetensors";
  }
  save_safetensors(path("parts/a.safetensors"), half[0]);
  save_safetensors(path("parts/b.safetensors"), half[1]);
  write(path("parts/model.safetensors.index.json"), nlohmann::json{{"weight_map", map}}.dump());
  const auto opened = models::open(path("parts"), {.dtype = bfloat16});
  const Tensor tokens = test_indices({2, 5}, 89);
  EXPECT_EQ((*opened)(tokens).dtype(), bfloat16);
  EXPECT_TRUE(allclose((*opened)(tokens).to(float32), (*model)(tokens), 0.1, 0.3));
  map["model.norm.weight"] = "../b.safetensors";
  write(path("parts/model.safetensors.index.json"), nlohmann::json{{"weight_map", map}}.dump());
  EXPECT_ORDO_ERROR(models::open(path("parts")), DataError, "which is no file of the folder");
}

TEST_F(ModelFiles, that_do_not_fit_are_named) {
  const auto opened = [&](const char* model, const char* place, const char* value) {
    nlohmann::json config = nlohmann::json::parse(read(folder_of(model) + "/config.json"));
    config[nlohmann::json::json_pointer(place)] = nlohmann::json::parse(value);
    write(path("changed/config.json"), config.dump());
    std::filesystem::copy_file(folder_of(model) + "/model.safetensors", path("changed/model.safetensors"),
                               std::filesystem::copy_options::overwrite_existing);
    return models::open(path("changed"));
  };
  EXPECT_ORDO_ERROR(models::open(path("nowhere")), DataError, "nowhere/config.json");
  EXPECT_ORDO_ERROR(opened("gpt2", "/architectures/0", "\"BertModel\""), DataError,
                    "'architectures' is [\"BertModel\"]; there are GPT2LMHeadModel");
  EXPECT_ORDO_ERROR(opened("gpt2", "/activation_function", "\"relu\""), DataError, "gelu_new");
  EXPECT_ORDO_ERROR(opened("gpt2", "/n_embd", "\"16\""), DataError, "'n_embd' is \"16\"");
  EXPECT_ORDO_ERROR(opened("gpt2", "/n_layer", "3"), ValueError, "transformer.h.2.attn.c_attn.bias");
  EXPECT_ORDO_ERROR(opened("gpt2", "/n_layer", "1"), ValueError, "transformer.h.1.");
  EXPECT_ORDO_ERROR(opened("gpt2", "/n_positions", "31"), ShapeError, "transformer.wpe.weight");
  EXPECT_ORDO_ERROR(opened("llama", "/rope_parameters/rope_type", "\"yarn\""), DataError, "'rope_type' is yarn");
  EXPECT_ORDO_ERROR(opened("mistral", "/sliding_window", "8"), DataError, "'sliding_window' is 8");
  EXPECT_ORDO_ERROR(opened("llama", "/attention_bias", "true"), DataError, "'attention_bias'");
  EXPECT_ORDO_ERROR(opened("llama", "/num_hidden_layers", "1000000000"), DataError,
                    "has 1000000000 layers, but the files hold");
  EXPECT_ORDO_ERROR(opened("gpt2", "/vocab_size", "1152921504606846976"), DataError, "by 16, but the files hold");
  write(path("changed/config.json"), "{\"architectures\": ");
  EXPECT_ORDO_ERROR(models::open(path("changed")), DataError, "is no JSON object");
  write(path("changed/config.json"), "{\"n_embd\": " + std::string(100000, '[') + std::string(100000, ']') + "}");
  EXPECT_ORDO_ERROR(models::open(path("changed")), DataError, "is nested 100001 deep");
}

TEST_F(ModelFiles, mistakes_of_those_who_generate) {
  const auto model = models::open(folder_of("gpt2"));
  EXPECT_ORDO_ERROR(models::generate(*model, {}), ValueError, "needs a prompt");
  EXPECT_ORDO_ERROR(models::generate(*model, {{1}, {}}), ValueError, "at least one token");
  EXPECT_ORDO_ERROR(models::generate(*model, {{1}}, {.max_new_tokens = 40}), ValueError, "the model is for 32 at most");
  EXPECT_ORDO_ERROR(models::generate(*model, {{1}}, {.temperature = -1}), ValueError, "temperature");
  EXPECT_ORDO_ERROR(models::generate(*model, {{89}}), IndexError, "89");
  model->train();
  EXPECT_ORDO_ERROR(models::generate(*model, {{1}}), ValueError, "training mode");
  model->eval();
  const Generated all = models::generate(*model, {{5, 6}}, {.max_new_tokens = 6})[0];
  const Generated some = models::generate(*model, {{5, 6}}, {.max_new_tokens = 6, .stop = {all.tokens[0]}})[0];
  EXPECT_EQ(some.tokens, std::vector<int64_t>{all.tokens[0]});
}

}  // namespace
}  // namespace ordo::test::models_test
