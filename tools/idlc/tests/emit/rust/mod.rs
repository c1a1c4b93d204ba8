//! The types that are made of IDL by the test `emit`.

use super::{Expected, expected};

mod annotations;
mod basic_types;
mod bitsets;
mod comment_annotations;
mod conditions;
mod constants;
mod documentation;
mod enumerations;
mod included;
mod latin1;
mod lenient;
mod modules;
mod names;
mod old_annotations;
mod pragmas;
mod preprocessor;
mod recursion;
mod ros;
mod skipped;
mod structs;
mod templates;
mod torture;
mod unions;
mod unsaid;
mod vector_alias;
mod vector_behind;
mod vector_bits;
mod vector_color;
mod vector_derived;
mod vector_loose;
mod vector_maps;
mod vector_mutable;
mod vector_nested_keys;
mod vector_optional;
mod vector_ou;
mod vector_peer_grown;
mod vector_peer_keys;
mod vector_peer_plain;
mod vector_peer_shape;
mod vector_point;
mod vector_recursive;
mod vector_shape_type;
mod vector_two_types;
mod vector_union;
mod vector_unions;
mod vector_wide;

/// What each type is known by.
pub(super) const TYPES: &[Expected] = &[
    expected::<annotations::One>("One", "e3d371df3e7321ee634d3f49e9b4", "89ffe71f04234ff723b9b501c753"),
    expected::<annotations::Two>("Two", "a44a43efce1eca96e18936f7d24d", "c6137b2c5080e5509cb84d0d106c"),
    expected::<annotations::Three>("Three", "bb960921dcd5df8752701b8433d1", "c8fa1a1667693dc32230ee77d882"),
    expected::<annotations::Five>("Five", "8c8f5c44eda25d8ea47c4b6ef7f0", "ef003d26a041c132c57e6f1ea14d"),
    expected::<annotations::Six>("Six", "e3d371df3e7321ee634d3f49e9b4", "690dce93ae16bc99a43f4d6e1414"),
    expected::<annotations::OfVendor>("OfVendor", "e3d371df3e7321ee634d3f49e9b4", "72505b45dfe889bf67d8bd365f0d"),
    expected::<annotations::MoreBits>("MoreBits", "e3d371df3e7321ee634d3f49e9b4", "4c8b945d1f5b4d8679d557df446d"),
    expected::<annotations::N::Nested>("N::Nested", "badd950039ac78588aaa107a73bf", "d584439049816869e99df30e1063"),
    expected::<annotations::N::Topic>("N::Topic", "e3d371df3e7321ee634d3f49e9b4", "f7e8c65b54c80472290aafe1be4e"),
    expected::<annotations::N::Plain>("N::Plain", "e3d371df3e7321ee634d3f49e9b4", "10ece4e6af519aa06116bee70320"),
    expected::<annotations::D::Four>("D::Four", "e3d371df3e7321ee634d3f49e9b4", "876a0fc70e9298f7f84b503df245"),
    expected::<basic_types::All>("All", "cd71b3193c788b883964b36bf3d1", "175c5a92beb4249cfc2de98e9c78"),
    expected::<basic_types::Empty>("Empty", "b7667ab224893a0c73d444735ff1", "560af0dd4408e12f1e1878de5e15"),
    expected::<bitsets::Base>("Base", "5201db221682720bf49d2251c37a", "cb61e40d22563b0260af327db40a"),
    expected::<bitsets::Derived>("Derived", "3643ef19f44518a7a7d0341ae401", "c4121f37857a0c0b997769e25fec"),
    expected::<bitsets::Uses>("Uses", "6745bf21ffcb15359c4bc3fe9b29", "8f841ddb04a39dae2e0f754427b0"),
    expected::<comment_annotations::Late>("Late", "e3d371df3e7321ee634d3f49e9b4", "df780c7942eee732c4d96b0a89a7"),
    expected::<comment_annotations::NotYet>("NotYet", "091fe7ea902a336d1c5448b52989", "6f94ca1a23ba384d194542458feb"),
    expected::<comment_annotations::R::Position>("R::Position", "30631764a1c507510e60c96cdfd7", "2b41a825a8ecff95c439df8cac9e"),
    expected::<comment_annotations::R::Plain>("R::Plain", "e3d371df3e7321ee634d3f49e9b4", "4f18816c6e03d2482a421e999d91"),
    expected::<conditions::Elif>("Elif", "e3d371df3e7321ee634d3f49e9b4", "07968a507e3c4c7a5967ce5c70ae"),
    expected::<conditions::All>("All", "e3d371df3e7321ee634d3f49e9b4", "dcd15a316437cbf40e0688f58415"),
    expected::<conditions::Line>("Line", "12d3c26e9dc2c387e52fe22b3d89", "d0b6c6666fe6b843c00c641c5f26"),
    expected::<constants::C::Uses>("C::Uses", "35b963a5e4218476d7f0b154e25b", "c526fd706f109c0a7dc56d457fbe"),
    expected::<documentation::D::Point>("D::Point", "da8c74eeee3baae6668d4903718b", "64be328ca858715bb6b801fa5560"),
    expected::<documentation::D::Color>("D::Color", "3f3d91bb16db7f445b502241d09c", "4706470ae075985501100b4080c6"),
    expected::<documentation::D::U>("D::U", "051bc7b3129ec11215f7be6e2ef0", "1bedacfef32e2b99857dade0bd57"),
    expected::<enumerations::Uses>("Uses", "791f2ea99c05899d0ed04eaab85f", "bf4c903912af4f2fa6a5c1fc6801"),
    expected::<enumerations::E::Plain>("E::Plain", "1d8c3f31e4cc1901ae4121c3ccba", "d139000d1c213882a23c4cd6da1e"),
    expected::<enumerations::E::Final>("E::Final", "4e9a7faadf1f3768fdc48a875178", "7accbf7800efe97062d55d2adfaa"),
    expected::<enumerations::E::Small>("E::Small", "c056cee66e31e52831e24e129282", "9bcc889c9bfa033e0028bd32e63e"),
    expected::<enumerations::E::Medium>("E::Medium", "19a78a70f5cce220f59c6918fb6a", "0d363dcc9a12500c57e45097e17a"),
    expected::<enumerations::E::Thirty>("E::Thirty", "03054ab9dfdcca016a5769399ef4", "d5f7451ea8b85f0eed764b1354c0"),
    expected::<enumerations::E::Eight>("E::Eight", "10c09c53be52bc893a31f8a3c0a4", "80e12cea7f76f3e37387cbfdc4fd"),
    expected::<enumerations::E::Large>("E::Large", "84512b3b19e906d27e57b26c6ec0", "b510ae8a4291bea448d3850b378f"),
    expected::<included::Included>("Included", "e3d371df3e7321ee634d3f49e9b4", "7617bbbaefa56bf688a8ce43b82f"),
    expected::<latin1::Latin>("Latin", "e3d371df3e7321ee634d3f49e9b4", "8acf65b4c006fb829686e71c3f5f"),
    expected::<lenient::Map>("Map", "6d9fd4d8eff4a8455fc12a1dc6f7", "f7368f3407cbc5eea307aaa2837e"),
    expected::<lenient::Names>("Names", "b34833a800151e344b789dab4d34", "e961773cc236a4e794c03de8e87b"),
    expected::<lenient::names>("names", "4e7676685a99349bf7a05f846468", "f6404e0627881ef1e04b5ad0a5a0"),
    expected::<lenient::Trailing>("Trailing", "917916fb51acdf5abef64c12497e", "dde359ac4502d26d121cdd5ca5a7"),
    expected::<lenient::Outer_Inner>("Outer::Inner", "e0d67391dbdc96bc293ab0bad1c3", "6d13daa9186995e9805f4a8d6693"),
    expected::<lenient::Outer_Part>("Outer::Part", "e3d371df3e7321ee634d3f49e9b4", "0479d2e4b01044652534ccef7bf7"),
    expected::<lenient::Outer>("Outer", "42adea45b425d2e70dfffd8026dc", "19b39773f594a1b0c9be032f10b9"),
    expected::<lenient::Modern>("Modern", "15154adfd0abbb946c35a0c65c10", "7aa7582877c271ee0e3d428e79d3"),
    expected::<modules::A::Outer>("A::Outer", "881e097d276f4546d7040b876fd6", "8b45fa6ccc806a58c6f74219df2d"),
    expected::<modules::A::B::Inner>("A::B::Inner", "a81366d6f303159c530f91b2657b", "c978f9eb071da58396dba472d2eb"),
    expected::<modules::A::B::More>("A::B::More", "6e42dc7b24140130c305c0fd4910", "923b2ba42e294e1afefd7ef89fa5"),
    expected::<names::N::r#struct>("N::struct", "38a19eb041050a2f9be669eace01", "dcc7ef089d060c426bdc224379ad"),
    expected::<names::N::Key>("N::Key", "c0a45746f93e42aa5796774c7c76", "af7b1508c607d57288a5bf87ff40"),
    expected::<names::N::value>("N::value", "dee4a38b7276a03ec0f6d414c69d", "9da5f3dfa2145b12ccc0f74e22a7"),
    expected::<names::N::Shadow>("N::Shadow", "37ba683d9f25157826a07281ba53", "3f90e8a8b67e3e5e67e5c22db898"),
    expected::<old_annotations::Old>("Old", "7d2c5a38fc64675f66622cd9aa86", "6e987ca12cbd6d570bee6e9fee19"),
    expected::<old_annotations::Inner>("Inner", "ef45bb537e6a959aaad2d71b3f58", "81c1996a287260679d5534cdcaf5"),
    expected::<old_annotations::Mask>("Mask", "b304656be93464a13b087acf265f", "83100afa7fc98ebf55b52092c7c7"),
    expected::<old_annotations::Small>("Small", "8deee1b01b7299cc2084d425a8cf", "a1833eb32e8021a3662b3fb025b7"),
    expected::<old_annotations::Unknown>("Unknown", "e3d371df3e7321ee634d3f49e9b4", "c708ce82242a4886618194cc3999"),
    expected::<old_annotations::Mine>("Mine", "e3d371df3e7321ee634d3f49e9b4", "95bd43afca10cfb866069246b107"),
    expected::<pragmas::Topic>("Topic", "52bf54b7134d4a6a5f33d4e66eb2", "c689cf7eaa2fde7a4b085c8b9a35"),
    expected::<pragmas::K::Inner>("K::Inner", "404a16518db760a7b426c6460a9d", "258c8ce8b27b5cc95f3745d19207"),
    expected::<pragmas::K::Outer>("K::Outer", "28a3bb401420440a65b410304534", "690fbd42bde25d753b5b6cb7751b"),
    expected::<pragmas::K::Keyless>("K::Keyless", "e3d371df3e7321ee634d3f49e9b4", "ecd6469f7eae3ddffe416aed8261"),
    expected::<pragmas::K::Has>("K::Has", "b675b75a8aa714012b16df4fecfe", "701876869541c3c0f485a5ad930e"),
    expected::<preprocessor::Included>("Included", "e3d371df3e7321ee634d3f49e9b4", "7617bbbaefa56bf688a8ce43b82f"),
    expected::<preprocessor::One>("One", "c4114d6bca3f54e456ca1344ffba", "5d23078b866ea47bc195184c2c0b"),
    expected::<preprocessor::Two>("Two", "03ea289d1a442bfa469c363ae02f", "479a6da39fc073752a6297a6f08e"),
    expected::<recursion::Self_>("Self", "f287e2452ede9a775f1a99acbba3 1/1", "a276dd69e939db526c7b349ba2a7 1/1"),
    expected::<recursion::Tree::Pair>("Tree::Pair", "2dfbf8d4cf135c4a55aebcb3ad6a", "2511cdc278d5667f30a5f881e0eb"),
    expected::<recursion::Tree::Node>("Tree::Node", "12e8ba2fdd7d5f5012e8b224436f 1/2", "50ca4fb4517e15cada1032355b97 1/2"),
    expected::<recursion::Tree::Leaf>("Tree::Leaf", "39df5f281c9b4b1a7cffdb668c89 1/1", "1d244c80b01fbadcf68af168c715 1/1"),
    expected::<ros::Included>("Included", "e3d371df3e7321ee634d3f49e9b4", "7617bbbaefa56bf688a8ce43b82f"),
    expected::<ros::sensor::msg::dds_::Imu_>("sensor::msg::dds_::Imu_", "ff2e4a2d3a147101503f30fea445", "64b22d23021f487f15fba3e54734"),
    expected::<ros::sensor::msg::dds_::Many_>("sensor::msg::dds_::Many_", "c1ebcf17d1250295220d0c9b3fa5", "f5e7f2a1c94369aa872433456c50"),
    expected::<skipped::Plain>("Plain", "e3d371df3e7321ee634d3f49e9b4", "512c71b4d0d1a35963a44102eda4"),
    expected::<skipped::Derived>("Derived", "504064a4ff4e100cc581791a7244", "519341c218c407c45668a952fe04"),
    expected::<structs::Base>("Base", "c1572e4e8189fd8ab3a59bcaefc7", "27a24bb07b47e92633e0443035f3"),
    expected::<structs::Derived>("Derived", "b8972ab27972142676fb1a95f944", "b03de90c6a7542dfb1f3c44b8173"),
    expected::<structs::Hashed>("Hashed", "1a8e26282f48fd80f7a774fbcaaf", "f4e635ab38754c6335be403c6d87"),
    expected::<structs::Grown>("Grown", "bb960921dcd5df8752701b8433d1", "87f77f1f6abe027224dd130ec5f9"),
    expected::<structs::GrownMore>("GrownMore", "60a9842da9d9a52548728e70d6c9", "3f61bc593f188468ffde2c0af851"),
    expected::<structs::M::InModule>("M::InModule", "2a3e9c1ebd89c0c462969c80b7d0", "b2c9b7cd998abd47860010afc09a"),
    expected::<structs::M::Counted>("M::Counted", "66f0c72600ad68106416fe70f85e", "15dbe7fd1c0a3d16ce65200db88a"),
    expected::<templates::Templates>("Templates", "490eeade630c0576af468fd8bea3", "7e3b76ee2e4327fec44a9ff1edf4"),
    expected::<torture::String>("String", "48d313aca1894fb477dfe5e6138c", "7aab7b6bff4821b73657aca366e9"),
    expected::<torture::member_>("member", "89a12af8c54a2bbd7cb5f37f5938", "c30554d762765c2acbc5df413def"),
    expected::<torture::Reader>("Reader", "a666e20ba6d9ba5fcbce7ba63836", "7e28c27522f0d9361ece7a9807ee"),
    expected::<torture::Result>("Result", "0c89aa42e40108bcc90ce4dd990b", "2c71fcf8664990ae2b29feeb9ec5"),
    expected::<torture::r#fn::crate_>("fn::crate", "e53180765f0cd917c8a00638374a", "875839126e26c2aeddf12aef8858"),
    expected::<torture::r#fn::super_>("fn::super", "047a77493deb6560068d3a25f01a", "02facd2a120007d395e7d524e122"),
    expected::<torture::r#fn::r#type>("fn::type", "3ccb80d97fbe7e8fe9e77b452011", "3212854fc828036eccff539bec64"),
    expected::<torture::r#fn::r#static>("fn::static", "687713a498ae536e456c4071c615 1/1", "f94a236e8ea7e46ff4c60573eb2f 1/1"),
    expected::<torture::r#fn::r#impl::r#match>("fn::impl::match", "34583470c2269caa5cdc760e81d9", "4f1fdb8e92121eab87f08926eb8a"),
    expected::<torture::r#fn::r#impl::loop_>("fn::impl::loop", "8d8423cecf930e54121d8d15421e", "4254bce7ec0b79cda01f888ce296"),
    expected::<torture::r#fn::r#impl::yield_>("fn::impl::yield", "447fb8353ab1881c8b3af0e5bc4b", "1dd9c52cece2de7079d4325bc54a"),
    expected::<torture::r#fn::r#impl::trait_>("fn::impl::trait", "5cf9d6a19951c66aed6f2b3b43d4", "c2f33ed806bda8bf00701212270a"),
    expected::<torture::r#fn::u8_::bool_>("fn::u8::bool", "226dcb938569489600a438a67026", "2b2008cc9285e8ed8140ef877425"),
    expected::<torture::std::Vec>("std::Vec", "84adc22838dac1ee75f28f7da2dc 1/1", "066c014223ffb4d2a1b2846a408d 1/1"),
    expected::<torture::dunlin::Option>("dunlin::Option", "d9d65eedc9d729e883856363dbc5", "f4f0ad5e6a01963bfe7ec61e3363"),
    expected::<unions::Color>("Color", "e28caefd60e4b314eafb74078023", "79d6509ce10341352d020d6bcee1"),
    expected::<unions::Flags>("Flags", "784e5a884bdc564b35c906ccac02", "8d01df09d24be8d33b6f08ed5bab"),
    expected::<unions::ByEnum>("ByEnum", "38d3fd781bc3e53640a949de7f50", "8513efcffbc761baa52dd8cc36a3"),
    expected::<unions::ByLong>("ByLong", "312114a5e4a67e53b3497bc3d7c9", "a94621e2721c2c4404c65e8f00f5"),
    expected::<unions::ByChar>("ByChar", "89a0f7f494990ad9a3555670293f", "5b932f1f6c369030135817d9c015"),
    expected::<unions::ByWide>("ByWide", "500589687709fe144d3ea7926755", "7473b90ecd52df12ab3fa166c8dc"),
    expected::<unions::ByBoolean>("ByBoolean", "604386e9e4be5157a7ed0def9d37", "3639ee8f456afd8905f904f03048"),
    expected::<unions::ByFlags>("ByFlags", "17cff2896236e5e8623517c086dd", "26175d9ddc3b353fe56af982a857"),
    expected::<unions::ByOctet>("ByOctet", "c5fbe088b7eb939398a6c0945601", "a8078ad276f53215c7748858d3ac"),
    expected::<unions::ByLarge>("ByLarge", "95fb50135ea7d977e3cc65be26bc", "fd9436ddb6ffae20723c68b75ea1"),
    expected::<unions::Hashed>("Hashed", "3cd504dd9a171b270fe0b29105bb", "9f3b73d2ba3ab442a94bf552b4c8"),
    expected::<unsaid::A>("A", "a44a43efce1eca96e18936f7d24d", "905cdb056e2e3f9619aec8c09414"),
    expected::<unsaid::B>("B", "49381ce759aad6d032272d70c6e5", "cb71ec5b05d0c22d3affb963bfde"),
    expected::<unsaid::C>("C", "88c555c11ae7cf14137ac336b3b4", "3b9641cef75a31bbe88b3b7f4f60"),
    expected::<vector_alias::Golden::Aliased>("Golden::Aliased", "fad99c850c8acd067569502524bb", "d2ca1b7a8746c04562c238c6cd5d"),
    expected::<vector_behind::Behind::Whole>("Behind::Whole", "c4a2cd33a507e8285b92e021f9ae", "cdf804c6e7fe8655e7d94fb1fafc"),
    expected::<vector_behind::Behind::Grows>("Behind::Grows", "00e323f924ce26be4aa71fe1e773", "065cb3ca73ab73263f635eead40b"),
    expected::<vector_behind::Behind::Loose>("Behind::Loose", "09d57018df8688f1bd78c3bd40c1", "f3469d5fdca4a7c89adabe0b0c9e"),
    expected::<vector_bits::Golden::Small>("Golden::Small", "03645ccf2d20f9c43c7a241679ec", "a6b22d89fbc84860dd4c20425602"),
    expected::<vector_bits::Golden::Middle>("Golden::Middle", "d24ee21618dad0b7116068fed08e", "a857b44eb551dddba21b7b58543b"),
    expected::<vector_bits::Golden::Large>("Golden::Large", "c38938d4287998eb557180ff3d8c", "6e84e6984ed17f6be254323d6a72"),
    expected::<vector_bits::Golden::Fields>("Golden::Fields", "854cba3de3895842af4cd650a2a3", "e9de3f8d7701de5f5bc58c3ea5e1"),
    expected::<vector_bits::Golden::Tiny>("Golden::Tiny", "167010b2011d004947895499314c", "1cda063186e47f584075665766a7"),
    expected::<vector_bits::Golden::Short>("Golden::Short", "9300cd306bf0aff22f572d780a5f", "4045f838fd9597ef6381dd8ff03c"),
    expected::<vector_bits::Golden::Bits>("Golden::Bits", "ffb98cee2c912706e47ad79ce655", "88acfcf4d3ce01c8a0b82a22ac03"),
    expected::<vector_color::Golden::Color>("Golden::Color", "79efcd1b3e9fd70e01e1758b00d0", "bd139e366ce8ba1efe5e1a0d9a68"),
    expected::<vector_color::Golden::Colored>("Golden::Colored", "1c68d3cefd9fff5ea997bb08edb8", "f1ec5d92118c31890aa55726f7b3"),
    expected::<vector_derived::Golden::Base>("Golden::Base", "e3d371df3e7321ee634d3f49e9b4", "7dba2a783183a4e64ad22c0ded96"),
    expected::<vector_derived::Golden::Derived>("Golden::Derived", "55ad34e612431aaccde5459c7b60", "bf7ddecf6dbf4bad199c6913d5c0"),
    expected::<vector_loose::golden::Color>("golden::Color", "79efcd1b3e9fd70e01e1758b00d0", "5983e6aee53161f043447c80dd90"),
    expected::<vector_loose::golden::Point>("golden::Point", "486a02287e4296f23ece454f126b", "3e0953994c5aeb4eb6a9955c4084"),
    expected::<vector_loose::golden::Inner>("golden::Inner", "7c6202e1c4ededf03785987b8f3a", "719f65cadf736606a1ecb6962c58"),
    expected::<vector_loose::golden::Small>("golden::Small", "09bc3c55da9d1731dac5716fbaec", "291beb63240da7d86ecec814198a"),
    expected::<vector_loose::golden::Open>("golden::Open", "098c4cd75062a56b76f687b52a27", "bd7f3e1ed3588f017465ea8949db"),
    expected::<vector_loose::golden::Loose>("golden::Loose", "5f84f779694a6862429a34ee833c", "d8e7f47926b556344d4c4f998d91"),
    expected::<vector_maps::Counted>("Counted", "2d31c5e2e4d18c826eedf17216dd", "238dd185e210e536212876b3667c"),
    expected::<vector_mutable::Golden::Mut>("Golden::Mut", "13d57579795c9e68607888e4aa45", "647a6a938056924d6f14f07e8546"),
    expected::<vector_nested_keys::Golden::Marked>("Golden::Marked", "bb54e18e938c7f7b69a51df521a5", "6bcc96e47506f1901a31a4f0994b"),
    expected::<vector_nested_keys::Golden::Unmarked>("Golden::Unmarked", "70d2e62e3e2a3ece66a2bc6081f5", "4c0cef1bb6fa4217ffdfbb087d5a"),
    expected::<vector_nested_keys::Golden::Base>("Golden::Base", "d493a6d63ed7073d6b22ba1873f7", "104cc845b5dbf400cd149f1b634c"),
    expected::<vector_nested_keys::Golden::Keys>("Golden::Keys", "2c81e1b24976f4b4fb602b999ed0", "df67c4520df066d04edaa1750465"),
    expected::<vector_nested_keys::Golden::Deep>("Golden::Deep", "04f9dbb4e0f5ac366c35ee98ea95", "210f4dde28beca3b71970eae6274"),
    expected::<vector_optional::Golden::Inner>("Golden::Inner", "76bd6194fe5d748886214957b2a9", "cd4186a96eff7e2b42f288c227f2"),
    expected::<vector_optional::Golden::FinalOptional>("Golden::FinalOptional", "8836df40046c0a4dbd46c4eddaaf", "ba1125992154b4a43cf4770ddf44"),
    expected::<vector_optional::Golden::AppendableOptional>("Golden::AppendableOptional", "34df92ef60ef6e964797ef03912f", "1390098affee89e138985449eaf8"),
    expected::<vector_optional::Golden::MutableOptional>("Golden::MutableOptional", "dcc6d0789a48f179802a26d82322", "e6bfc13cd151782213fed77d084d"),
    expected::<vector_ou::ou>("ou", "5a3c0c46e4529da3ac2f9f6e5b40", "9c5c29a140fe220dd3565a277db9"),
    expected::<vector_peer_grown::golden::Color>("golden::Color", "79efcd1b3e9fd70e01e1758b00d0", "5983e6aee53161f043447c80dd90"),
    expected::<vector_peer_grown::golden::Point>("golden::Point", "486a02287e4296f23ece454f126b", "3e0953994c5aeb4eb6a9955c4084"),
    expected::<vector_peer_grown::golden::Inner>("golden::Inner", "7c6202e1c4ededf03785987b8f3a", "719f65cadf736606a1ecb6962c58"),
    expected::<vector_peer_grown::golden::Open>("golden::Open", "098c4cd75062a56b76f687b52a27", "bd7f3e1ed3588f017465ea8949db"),
    expected::<vector_peer_grown::golden::Grown>("golden::Grown", "37341c4bd473ef5336eb4e866196", "ca301fd4d2d0ed2d2b25ef415c32"),
    expected::<vector_peer_grown::golden::Nested>("golden::Nested", "529baebf14a24876a2da1f8f0561", "7bfcd3ae460f3610072988b91145"),
    expected::<vector_peer_keys::golden::TwoKeys>("golden::TwoKeys", "a8bde9658ae45fd4d73d1031ee72", "1ee0c006d836c3fe45b24227d1d6"),
    expected::<vector_peer_keys::golden::TwoKeysReversed>("golden::TwoKeysReversed", "1fc714c61ab01967b86fbdc1a113", "4af7a31d64cdcb1aee8483657f16"),
    expected::<vector_peer_plain::golden::Color>("golden::Color", "79efcd1b3e9fd70e01e1758b00d0", "5983e6aee53161f043447c80dd90"),
    expected::<vector_peer_plain::golden::Point>("golden::Point", "486a02287e4296f23ece454f126b", "3e0953994c5aeb4eb6a9955c4084"),
    expected::<vector_peer_plain::golden::Inner>("golden::Inner", "7c6202e1c4ededf03785987b8f3a", "719f65cadf736606a1ecb6962c58"),
    expected::<vector_peer_plain::golden::Choice>("golden::Choice", "1c186503f9ae2da8a8729eaa3ff8", "d3a9796e618fa4a75f4fa0c81743"),
    expected::<vector_peer_plain::golden::Plain>("golden::Plain", "db64aa5f7d68e8d87ce25d2436f8", "7657c7ba95abd673cf3121a62b57"),
    expected::<vector_peer_shape::golden::Shape>("golden::Shape", "ef27fd0b8d733af19da11014f121", "9b448effde3b7173a47070b92a7b"),
    expected::<vector_point::Golden::Point>("Golden::Point", "4110d6751b7fe4b97fb29692aa20", "435d2644eb46995e2730b8d9782d"),
    expected::<vector_recursive::Node>("Node", "0068ccbad520a5124b542f2ef3b5 1/1", "2b9be087b1121b4ff1771979daf5 1/1"),
    expected::<vector_shape_type::ShapeType>("ShapeType", "a512f395e2bab0b9fc838e086e2c", "773207fb72386e0ddb0e1a2b4fbe"),
    expected::<vector_two_types::Tree>("Tree", "971395515c077fa609ddcedcead6 2/2", "aac8380639b0e812e5bca9a70cca 2/2"),
    expected::<vector_two_types::Leaf>("Leaf", "971395515c077fa609ddcedcead6 1/2", "aac8380639b0e812e5bca9a70cca 1/2"),
    expected::<vector_union::Golden::Value>("Golden::Value", "e4ee03357bdce0e313a929db9560", "4bf1203285a80d14278b5014999b"),
    expected::<vector_unions::Golden::Kind>("Golden::Kind", "9041d075642c79d5119a7b919e6e", "1979cd1a469ebbca9dcea6fe562b"),
    expected::<vector_unions::Golden::Pair>("Golden::Pair", "106353a6cb334f1ebc56b5cc5e82", "4a2f51fde7a417e86bba247bd7a2"),
    expected::<vector_unions::Golden::ByBoolean>("Golden::ByBoolean", "f24794bee8e331363d55de6e4a40", "2e668b7d24a3deae7b66ec993b50"),
    expected::<vector_unions::Golden::ByKind>("Golden::ByKind", "beadd639a00522d2ef9668a7f85f", "cdddcf1af5b4018be5b0ed610da9"),
    expected::<vector_unions::Golden::ByLetter>("Golden::ByLetter", "341c35172f307a0d22afd1bbee91", "64b1c4793db67480edf080d4b531"),
    expected::<vector_unions::Golden::Unions>("Golden::Unions", "70a073359624b584adc2f7ba009b", "50a72db95f49a203fdd65dccc117"),
    expected::<vector_wide::Wide>("Wide", "044006165cf449cf01dd0bbd73ef", "9bcf98dd568610af519b4c937a57"),
];
